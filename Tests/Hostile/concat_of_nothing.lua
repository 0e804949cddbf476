-- Joins empty strings, of which there are very many.
-- expected: budget
local all = setmetatable({}, { __index = function() return "" end })
return table.concat(all, "", 1, 1 << 50)
