-- Waits while a list is joined.
-- expected: wait
return table.concat(setmetatable({}, { __len = function() return 3 end, __index = function() wait() return "x" end }))
