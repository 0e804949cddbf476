-- Replaces what takes for ever to fail.
-- expected: budget
return ("x"):rep(4000):gsub("(x+)(x+)(x+)(x+)y", "%1")
