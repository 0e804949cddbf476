-- A host that operators watch. scripts/check-alerts makes each of its failures happen.
local rest = require "resthost"

local shop = rest.service {
  name = "shop",
  base_url = rest.env.SHOP_URL or "http://127.0.0.1:8081",
}
-- Further resources drop those that nobody uses.
shop.cached_resource_count_limit = 10000
shop.cached_resource_bytes_limit = 64 * 2 ^ 20

shop:configure("**", function(c)
  c.expiration_time = 60
  c.timeouts.total = 10
  c.breaker = { requests = 5, window = 10, open = 30 }
  c.limits = { in_flight = 8, queue = 100 }
end)

rest.gateway {
  listen = "127.0.0.1:8443",
  tls = { certificate = "server.pem", key = "server.key" },
}
