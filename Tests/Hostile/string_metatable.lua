-- Changes what all strings can do.
-- expected: runtime attempt to index a boolean value
getmetatable("").__index = function() return "mine" end
