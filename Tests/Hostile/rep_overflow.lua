-- Repeats so often that the size overflows.
-- expected: runtime resulting string too large
return ("xxxx"):rep(math.maxinteger)
