-- Opens brackets that are never closed.
-- expected: budget
while true do (("("):rep(1 << 17)):find("%b()") end
