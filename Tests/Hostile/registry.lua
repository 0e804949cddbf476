-- Reaches for the registry.
-- expected: runtime 'debug.getregistry' is not available
debug.getregistry()
