-- A function decides by the URL if no pattern can: everything except the login page needs a key.
local api = require "service" "predicate"
local login = api:resource("/-/login")

api:configure(function(url) return url.string ~= login.url end, function(c)
  c.headers["X-Key"] = "k"
end)

return api
