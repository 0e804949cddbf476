-- Loops while a coroutine is closed from outside.
-- expected: budget
while true do
  local co = coroutine.create(function()
    local x <close> = setmetatable({}, { __close = function() while true do end end })
    coroutine.yield()
  end)
  coroutine.resume(co)
  pcall(coroutine.close, co)
end
