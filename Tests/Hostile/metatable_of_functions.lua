-- Reaches for metatables that all values of a type share.
-- expected: runtime attempt to index a nil value
getmetatable(print).__index = function() end
