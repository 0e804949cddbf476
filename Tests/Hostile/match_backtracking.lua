-- The same, greedily, and caught.
-- expected: budget
while true do pcall(string.match, ("a"):rep(5000), (".*"):rep(10) .. "x") end
