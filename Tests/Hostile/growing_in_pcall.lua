-- Goes on growing after each refusal.
-- expected: memory budget
local t = {}
while true do pcall(function() for i = 1, 1e9 do t[#t + 1] = ("x"):rep(1000) .. i end end) end
