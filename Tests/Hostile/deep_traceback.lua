-- Asks for tracebacks at the bottom of a deep stack.
-- expected: budget runtime
local function f(n)
  if n == 0 then
    while true do debug.traceback("", 5000) debug.traceback() end
  end
  return 1 + f(n - 1)
end
f(150000)
