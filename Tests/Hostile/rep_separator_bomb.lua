-- Repeats little, with much in between.
-- expected: memory
return ("x"):rep(1e6, ("y"):rep(1e6))
