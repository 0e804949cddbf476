-- Adds keys for ever.
-- expected: memory budget
local t, i = {}, 0
while true do
  i = i + 1
  t["a rather long key, so that it takes more memory than time " .. i] = {}
end
