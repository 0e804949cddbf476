-- Appends to a list for ever.
-- expected: memory budget
local t = {}
while true do t[#t + 1] = { {} } end
