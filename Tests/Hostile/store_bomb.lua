-- Fills the store that survives it.
-- expected: runtime store
local s, i = ("x"):rep(1 << 20), 0
while true do i = i + 1 assert(rest.store:set("hostile" .. i, s)) end
