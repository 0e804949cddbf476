-- Loops in the function that shall handle the error.
-- expected: budget
while true do
  xpcall(function() while true do end end, function() while true do end end)
end
