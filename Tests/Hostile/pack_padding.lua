-- Packs very little into very large fields.
-- expected: runtime fields of fixed size take more than
return string.pack("c100000000", "")
