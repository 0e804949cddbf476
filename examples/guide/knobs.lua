-- Settings for one kind of resource at any path: a knob's position is never up to date.
local api = require "service" "knobs"

api:configure("**", function(c) c.expiration_time = 60 end)
api:configure("/**/knob", { description = "knobs are always stale" }, function(c) c.expiration_time = 0 end)

return api
