-- Jumps backwards for ever, past every continue.
-- expected: budget
local i = 0
::again::
for _ = 1, 10 do
  i = i + 1
  if i % 2 == 0 then goto continue end
  ::continue::
end
goto again
