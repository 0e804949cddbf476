-- Has bytecode loaded.
-- expected: runtime attempt to load a binary chunk
assert(load("\27LuaS\0\25\147\r\n\26\n", "x", "b" .. "t"))
