-- Yields for a replacement.
-- expected: runtime attempt to yield across a C-call boundary
coroutine.wrap(function() return (("abc"):gsub(".", coroutine.yield)) end)()
