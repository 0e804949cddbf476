-- Has a table encoded that holds itself.
-- expected: runtime contains itself
local t = {}
t.t = t
rest.json.encode(t)
