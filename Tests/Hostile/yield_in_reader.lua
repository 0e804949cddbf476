-- Yields while text is compiled.
-- expected: runtime attempt to yield across a C-call boundary
coroutine.wrap(function() assert(load(coroutine.yield)) end)()
