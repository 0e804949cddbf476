-- Sorts long text that differs at its end alone.
-- expected: budget memory
local t, common = {}, ("x"):rep(20000)
for i = 1, 1000 do t[i] = common .. (i * 7919 % 1000) end
while true do
  local copy = table.move(t, 1, #t, 1, {})
  table.sort(copy)
end
