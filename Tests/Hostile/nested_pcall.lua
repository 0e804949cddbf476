-- Nests protected calls as deep as it goes, again and again.
-- expected: budget
local function f() return pcall(f) end
while true do f() end
