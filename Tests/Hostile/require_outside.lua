-- Requires a file outside the folders.
-- expected: runtime is not allowed
require "../../../etc/passwd"
