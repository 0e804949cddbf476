-- Joins little with much in between.
-- expected: memory budget
local t = {}
for i = 1, 1000 do t[i] = "" end
return table.concat(t, ("x"):rep(1e6))
