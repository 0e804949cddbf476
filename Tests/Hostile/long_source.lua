-- Has very long text compiled.
-- expected: budget memory
while true do load(("-- nothing\n"):rep(400000)) end
