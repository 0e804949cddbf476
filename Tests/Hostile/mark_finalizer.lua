-- Gives all arrays a finalizer.
-- expected: runtime attempt to index a string value
getmetatable(rest.json.array {}).__gc = function() while true do end end
