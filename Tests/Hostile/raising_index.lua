-- Raises in the metamethods by which its error is read.
-- expected: runtime table value
error(setmetatable({}, { __index = function() error("read") end, __tostring = function() error("text") end, __name = 1 }))
