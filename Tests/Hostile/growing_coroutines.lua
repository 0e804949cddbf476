-- Makes coroutines that have all begun.
-- expected: memory budget
local t = {}
while true do
  local co = coroutine.wrap(function() local a, b, c, d = {}, {}, {}, {} coroutine.yield() return a, b, c, d end)
  co()
  t[#t + 1] = co
end
