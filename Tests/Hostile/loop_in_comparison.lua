-- Loops inside operators.
-- expected: budget
local function loop() while true do end end
local m = { __lt = loop, __le = loop, __eq = loop, __concat = loop, __len = loop, __add = loop, __call = loop, __unm = loop }
local a, b = setmetatable({}, m), setmetatable({}, m)
while true do
  pcall(function() return a < b end)
  pcall(function() return a == b end)
  pcall(function() return #a + (a .. b) + -a + a() end)
end
