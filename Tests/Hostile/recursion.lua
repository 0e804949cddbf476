-- Calls itself without end.
-- expected: memory budget runtime stack overflow
local function f() return 1 + f() end
f()
