-- Bodies pass unchanged: no stage decodes them.
local rest = require "resthost"

local api = rest.service { name = "api", base_url = "@UPSTREAM@" }

api:configure(function(c)
  c.expiration_time = 0
  c.collapse = false
  c.pipeline:clear()
end)

rest.gateway { listen = "127.0.0.1:@PORT@" }
