-- Waits in the function that handles an error.
-- expected: wait runtime
local ok, message = xpcall(error, function() wait() end, "x") error(message, 0)
