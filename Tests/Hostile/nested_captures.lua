-- Has a pattern with more captures than there may be.
-- expected: runtime too many captures
return ("x"):find(("("):rep(40))
