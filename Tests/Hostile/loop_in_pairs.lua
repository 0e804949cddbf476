-- Reads the first key of a table whose keys are gone, again and again.
-- expected: budget
local t = {}
for i = 1, 200000 do t["k" .. i] = i end
for k in pairs(t) do t[k] = nil end
while true do next(t) end
