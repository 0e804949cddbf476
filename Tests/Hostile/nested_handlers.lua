-- Raises in the function that handles errors.
-- expected: runtime broken
local function handler() error("broken") end
local ok, message = xpcall(error, handler, "first")
assert(not ok)
error("broken: " .. tostring(message))
