-- Unpacks a list that isn't there.
-- expected: runtime too many results to unpack
return select("#", table.unpack({}, 1, 1e8))
