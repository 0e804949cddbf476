-- Yields while it becomes text.
-- expected: runtime attempt to yield across a C-call boundary
coroutine.wrap(function() return tostring(setmetatable({}, { __tostring = coroutine.yield })) end)()
