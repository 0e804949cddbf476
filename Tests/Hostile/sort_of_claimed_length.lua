-- Sorts and shifts a list that claims to be very long.
-- expected: budget
local huge = setmetatable({}, { __len = function() return 1 << 50 end })
while true do
  pcall(table.sort, huge)
  pcall(table.insert, huge, 1, "x")
end
