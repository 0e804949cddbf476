-- Loops inside what turns its error into text.
-- expected: budget
local odd = setmetatable({}, { __tostring = function() while true do end end })
while true do pcall(tostring, odd) end
