-- Requires what isn't there.
-- expected: runtime not found
require "etc.passwd"
