-- Closes the coroutine that resumed it.
-- expected: runtime cannot close a normal coroutine
local outer
outer = coroutine.create(function() coroutine.wrap(function() coroutine.close(outer) end)() end)
local ok, message = coroutine.resume(outer)
error(message, 0)
