-- Yields in the function that handles an error.
-- expected: runtime
coroutine.wrap(function()
  local ok, message = xpcall(error, function() coroutine.yield() end, "x")
  error(message, 0)
end)()
