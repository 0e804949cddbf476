-- Waits while text is compiled.
-- expected: runtime cannot wait here
assert(load(function() wait() end))
