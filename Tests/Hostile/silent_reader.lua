-- Gives the parser nothing but spaces, without end.
-- expected: budget
load(function() return "          " end)
