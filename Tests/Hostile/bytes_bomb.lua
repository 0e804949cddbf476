-- Has the host keep bytes in objects.
-- expected: memory budget
local s, t = ("x"):rep(1 << 20), {}
while true do t[#t + 1] = rest.bytes(s) end
