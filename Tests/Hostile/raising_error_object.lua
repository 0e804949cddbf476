-- Raises an object that can't be made text.
-- expected: runtime table value
error(setmetatable({}, { __tostring = function() error("no text") end }))
