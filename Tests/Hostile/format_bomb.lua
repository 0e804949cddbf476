-- Writes one long text very often.
-- expected: memory budget
local long, values = ("x"):rep(1 << 20), {}
for i = 1, 200 do values[i] = long end
return (("%s"):rep(200)):format(table.unpack(values))
