-- Has very deeply nested text decoded.
-- expected: runtime
assert(rest.json.decode(("["):rep(1 << 20)))
