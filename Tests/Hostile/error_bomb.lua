-- Raises a message of many megabytes.
-- expected: runtime xxxx
error(("x"):rep(4 << 20), 0)
