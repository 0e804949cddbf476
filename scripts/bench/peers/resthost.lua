-- resthost in every row: one service, with the same mapping function as the partners.
local rest = require "resthost"
local map_records = require "map_records"

local api = rest.service { name = "api", base_url = "@UPSTREAM@" }

api:configure(function(c)
  c.expiration_time = @EXPIRATION@
  c.collapse = @COLLAPSE@
end)

api:configure_transformer("**", @TRANSFORMER@)

rest.gateway { listen = "127.0.0.1:@PORT@" }
