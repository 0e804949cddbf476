-- Goes through matches that take for ever to fail.
-- expected: budget
for _ in ("a"):rep(3000):gmatch("(a*)(a*)(a*)(a*)b") do end
