-- Loads a file.
-- expected: runtime 'loadfile' is not available
loadfile("/etc/passwd")
