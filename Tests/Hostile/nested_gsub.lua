-- Replaces inside a replacement inside a replacement …
-- expected: runtime stack overflow
local function f(s) return (s:gsub(".", f)) end
f("x")
