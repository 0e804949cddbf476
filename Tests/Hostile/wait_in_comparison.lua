-- Waits while a list is sorted by a metamethod.
-- expected: wait
local mt = { __lt = function() wait() return true end }
table.sort({ setmetatable({}, mt), setmetatable({}, mt), setmetatable({}, mt) })
