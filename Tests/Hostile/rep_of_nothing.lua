-- Repeats nothing, for ever.
-- expected: budget
while true do (""):rep(math.maxinteger, "") end
