-- Looks for long text in text that almost holds it, at each place.
-- expected: budget
local part = ("a"):rep(1 << 20)
return (part .. part):find(part .. "b", 1, true)
