-- Removes the first item of a list that claims to be very long.
-- expected: budget
table.remove(setmetatable({}, { __len = function() return 1 << 50 end }), 1)
