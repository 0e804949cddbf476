-- Gives the parser text without end.
-- expected: budget
while true do load(function() return "local x = 1 " end) end
