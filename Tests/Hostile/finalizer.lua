-- Runs code where no budget reaches.
-- expected: runtime '__gc' is not available to scripts
setmetatable({}, { __gc = function() while true do end end })
