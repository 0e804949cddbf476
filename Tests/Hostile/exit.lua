-- Ends the process.
-- expected: runtime 'os.exit' is not available
os.exit(1)
