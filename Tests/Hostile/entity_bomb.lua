-- Has the host keep content in entities.
-- expected: memory budget
local s, t = ("x"):rep(1 << 20), {}
while true do t[#t + 1] = rest.entity { content = s, content_type = "text/plain" } end
