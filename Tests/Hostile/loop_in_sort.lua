-- Loops in the function by which a list is sorted.
-- expected: budget
while true do
  pcall(table.sort, { 3, 2, 1 }, function() while true do end end)
end
