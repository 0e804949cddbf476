-- Has deeply nested text compiled.
-- expected: runtime overflow
assert(load("return " .. ("("):rep(100000) .. "1" .. (")"):rep(100000)))
