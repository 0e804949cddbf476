-- Has a type whose name is long, and lets Lua complain of it.
-- expected: runtime call
local t = setmetatable({}, { __name = ("n"):rep(1 << 20) })
t()
