-- Calls itself in tail position: no stack grows.
-- expected: budget
local function f(n) return f(n + 1) end
f(0)
