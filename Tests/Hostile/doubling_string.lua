-- Doubles a string.
-- expected: memory budget
local s = "x"
while true do s = s .. s end
