-- Needs itself as text to become text.
-- expected: runtime C stack overflow
local t
t = setmetatable({}, { __tostring = function() return tostring(t) end })
return tostring(t)
