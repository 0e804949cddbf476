-- Has a table of very many constants compiled.
-- expected: budget memory
local items = {}
for i = 1, 100000 do items[i] = "'item" .. i .. "'" end
while true do assert(load("return {" .. table.concat(items, ",") .. "}"))() end
