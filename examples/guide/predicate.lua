-- A function of the URL decides, where a pattern can't say it: everything but the login page needs a key.
local api = require "service" "predicate"
local login = api:resource("/-/login")

api:configure(function(url) return url.string ~= login.url end, function(c)
  c.headers["X-Key"] = "k"
end)

return api
