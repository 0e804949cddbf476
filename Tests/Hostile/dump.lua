-- Has a function made bytecode.
-- expected: runtime 'dump'
return string.dump(function() end)
