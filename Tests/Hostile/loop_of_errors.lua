-- Spends its time on raising and catching.
-- expected: budget
while true do pcall(error, {}) end
