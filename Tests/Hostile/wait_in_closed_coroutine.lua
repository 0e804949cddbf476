-- Waits while a coroutine is closed.
-- expected: wait
local co = coroutine.create(function()
  local x <close> = setmetatable({}, { __close = function() wait() end })
  coroutine.yield()
end)
coroutine.resume(co)
local ok, message = coroutine.close(co)
error(message, 0)
