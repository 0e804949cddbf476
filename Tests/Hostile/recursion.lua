-- Calls itself without end.
-- expected: runtime stack overflow
local function f() return 1 + f() end
f()
