-- Adds the finalizer afterwards.
-- expected: budget
local m = {}
for _ = 1, 100 do setmetatable({}, m) end
m.__gc = function() while true do end end
while true do local x = {} end
