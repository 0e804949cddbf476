-- Has a pattern of very many parts.
-- expected: runtime pattern too complex
return ("x"):rep(1000):find(("x?"):rep(1000))
