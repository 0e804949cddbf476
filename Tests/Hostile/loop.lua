-- Loops for ever.
-- expected: budget
while true do end
