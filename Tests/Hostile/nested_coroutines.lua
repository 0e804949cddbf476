-- Runs a coroutine in a coroutine in a coroutine …
-- expected: runtime C stack overflow
local function f() return coroutine.wrap(f)() end
f()
