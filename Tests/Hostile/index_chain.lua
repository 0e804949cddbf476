-- Looks a field up through thousands of tables.
-- expected: runtime '__index' chain too long
local t = {}
for _ = 1, 5000 do t = setmetatable({}, { __index = t }) end
return t.x
