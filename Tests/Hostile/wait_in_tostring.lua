-- Waits while it becomes text.
-- expected: wait
return tostring(setmetatable({}, { __tostring = function() wait() return "" end }))
