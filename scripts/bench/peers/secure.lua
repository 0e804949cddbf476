-- A hot read with TLS, for both versions of HTTP: the same service as in resthost.lua.
local rest = require "resthost"
local map_records = require "map_records"

local api = rest.service { name = "api", base_url = "@UPSTREAM@" }

api:configure(function(c) c.expiration_time = 3600 end)

api:configure_transformer("**", map_records)

rest.gateway {
  listen = "127.0.0.1:@PORT@",
  tls = { certificate = "@DIR@/secure.pem", key = "@DIR@/secure.key" },
}
