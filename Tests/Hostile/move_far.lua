-- Moves more items than there can be.
-- expected: budget
table.move({}, 1, 1 << 50, 2)
