-- Starts itself again and again, inside itself.
-- expected: runtime C stack overflow
local function f() rest.spawn(f):await() end
f()
