-- Requires a name that ends early.
-- expected: runtime is not allowed
require "inspect\0/../../etc/passwd"
