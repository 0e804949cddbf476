-- Writes many numbers with as many digits as there may be.
-- expected: budget memory
local values = {}
for i = 1, 200 do values[i] = 1e308 end
while true do (("%99.99f"):rep(200)):format(table.unpack(values)) end
