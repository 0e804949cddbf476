-- Has a table encoded that holds itself.
-- expected: runtime cycle
local t = {}
t.t = t
rest.json.encode(t)
