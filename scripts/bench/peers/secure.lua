-- A hot read with TLS, in both versions of HTTP, with the service of resthost.lua.
local rest = require "resthost"
local map_records = require "map_records"

local api = rest.service { name = "api", base_url = "@UPSTREAM@" }

api:configure(function(c) c.expiration_time = 3600 end)

api:configure_transformer("**", map_records)

rest.gateway {
  listen = "127.0.0.1:@PORT@",
  tls = { certificate = "@DIR@/secure.pem", key = "@DIR@/secure.key" },
}
