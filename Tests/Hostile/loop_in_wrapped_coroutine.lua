-- Loops in coroutines in coroutines.
-- expected: budget
local function loop()
  while true do pcall(coroutine.wrap(function() while true do end end)) end
end
while true do pcall(coroutine.wrap(loop)) end
