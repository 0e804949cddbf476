-- Has an iterator that never ends.
-- expected: budget
for _ in function() return true end do end
