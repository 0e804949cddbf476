-- Passes on more arguments each time, which takes its time: every call copies them.
-- expected: budget
local function f(...) return f(1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end
f()
