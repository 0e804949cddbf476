-- Yields where nobody resumes.
-- expected: runtime outside a coroutine
coroutine.yield()
