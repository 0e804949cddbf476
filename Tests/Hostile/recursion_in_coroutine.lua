-- Calls itself in a coroutine.
-- expected: memory budget runtime stack overflow
local function f() return 1 + f() end
coroutine.wrap(f)()
