-- Waits while a list is sorted.
-- expected: wait
table.sort({ 3, 2, 1 }, function(a, b) wait() return a < b end)
