-- Loads a file.
-- expected: runtime 'loadfile'
loadfile("/etc/passwd")
