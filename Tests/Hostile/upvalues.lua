-- Reaches into another function.
-- expected: runtime 'debug.setupvalue' is not available
debug.setupvalue(print, 1, nil)
