-- Makes functions that hold each other.
-- expected: memory budget
local f = function() end
while true do
  local inner, text = f, ("x"):rep(1000)
  f = function() return inner, text end
end
