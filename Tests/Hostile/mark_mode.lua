-- Has the collector empty all arrays.
-- expected: runtime attempt to index a string value
getmetatable(rest.json.decode("[1]")).__mode = "kv"
