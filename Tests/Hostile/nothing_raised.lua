-- Raises nil.
-- expected: runtime nil
error()
