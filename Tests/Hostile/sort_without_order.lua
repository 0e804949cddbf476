-- Sorts by a function that contradicts itself.
-- expected: budget
local n = 0
while true do
  local t = {}
  for i = 1, 200 do t[i] = i end
  pcall(table.sort, t, function() n = n + 1 return n % 3 > 0 end)
end
