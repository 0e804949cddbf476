-- Reads a field that reads a field that reads …
-- expected: runtime stack overflow
local t
t = setmetatable({}, { __index = function(_, k) return t[k + 1] + 1 end })
return t[1]
