-- Makes a pattern go back and forth for ever.
-- expected: budget
return ("a"):rep(60):find((".-"):rep(15) .. "b")
