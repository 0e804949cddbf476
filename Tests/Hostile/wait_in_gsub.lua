-- Waits for a replacement.
-- expected: wait
return (("abc"):gsub(".", function() wait() end))
