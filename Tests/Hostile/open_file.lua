-- Opens a file.
-- expected: runtime 'io.open' is not available
io.open("/etc/passwd")
