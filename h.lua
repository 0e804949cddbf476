local rest = require "resthost"
rest.shared { redis = "redis://127.0.0.1:7802", prefix = "lim" }
local api = rest.service { base_url = "http://127.0.0.1:7801", name = "api" }
api:configure(function(c)
  c.expiration_time = 0
  c.collapse = false
  c.limits = { in_flight = 8, shared = true }
end)
rest.routes { ["/api"] = api }
