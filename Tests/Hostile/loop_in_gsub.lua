-- Loops in the function that gives a replacement.
-- expected: budget
while true do
  pcall(string.gsub, "abc", ".", function() while true do end end)
end
