-- Closes itself.
-- expected: runtime cannot close a running coroutine
coroutine.close(coroutine.running())
