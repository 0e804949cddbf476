-- Raises an object that takes for ever to become text.
-- expected: runtime table value
error(setmetatable({}, { __tostring = function() while true do end end }))
