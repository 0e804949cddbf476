-- Looks for what it does not get through an environment of its own.
-- expected: runtime 'io.popen' is not available
local mine = setmetatable({}, { __index = _G })
assert(load("return io.popen(\"id\")", "=mine", "t", mine))()
