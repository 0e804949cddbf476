-- Takes the budget's hook away.
-- expected: runtime 'debug.sethook' is not available
debug.sethook()
