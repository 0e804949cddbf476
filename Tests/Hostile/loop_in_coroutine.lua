-- Loops in one coroutine after the other.
-- expected: budget
while true do
  coroutine.resume(coroutine.create(function() while true do end end))
end
