-- Raises while its variable is closed because it raised.
-- expected: runtime second
local x <close> = setmetatable({}, { __close = function() error("second") end })
error("first")
