-- Has the parser compare each label with all the others.
-- expected: budget memory
local labels = {}
for i = 1, 20000 do labels[i] = "::l" .. i .. "::" end
while true do load(table.concat(labels, " ")) end
