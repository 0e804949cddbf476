-- Repeats a letter ten billion times.
-- expected: memory
return ("x"):rep(1e10)
