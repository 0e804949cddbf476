-- Closes a coroutine that waits for the host, from another job.
-- expected: runtime cannot close a coroutine that waits for the host
local co = coroutine.create(function() rest.sleep(1000) end)
local other = rest.spawn(function() coroutine.resume(co) end)
local ok, message = pcall(coroutine.close, co)
other:cancel()
error(message, 0)
