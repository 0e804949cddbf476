-- Starts a program.
-- expected: runtime 'os.execute' is not available
os.execute("true")
