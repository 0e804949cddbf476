-- Changes what all objects of the host can do.
-- expected: runtime attempt to index a boolean value
getmetatable(rest.store).__index = function() end
