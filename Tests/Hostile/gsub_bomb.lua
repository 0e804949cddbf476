-- Replaces each letter by very many.
-- expected: memory budget
return (("x"):rep(1e5):gsub("x", ("y"):rep(1e5)))
