-- Catches whatever ends its loop, and loops again.
-- expected: budget
while true do pcall(function() while true do end end) end
