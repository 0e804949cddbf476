-- Has a function made bytecode.
-- expected: runtime 'string.dump' is not available
return string.dump(function() end)
