-- Lets coroutines close each other, each while it is closed by the one after it.
-- expected: memory budget runtime C stack overflow
local co, message
for i = 1, 15000 do
  local before = co
  co = coroutine.create(function()
    local x <close> = setmetatable({}, { __close = function()
      if not before then return end
      local ok, err = pcall(coroutine.close, before)
      if not ok then message = err end
    end })
    coroutine.yield()
  end)
  coroutine.resume(co)
end
coroutine.close(co)
error(message, 0)
