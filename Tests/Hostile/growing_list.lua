-- Makes a chain of tables.
-- expected: memory budget
local t = {}
while true do t = { t, t, t, t, {}, {}, {} } end
