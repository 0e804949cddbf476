-- A small fresh body, beside large ones that are decoded and encoded once each.
local rest = require "resthost"

local api = rest.service { name = "api", base_url = "@UPSTREAM@" }

api:configure(function(c) c.expiration_time = 3600 end)

rest.gateway { listen = "127.0.0.1:@PORT@" }
