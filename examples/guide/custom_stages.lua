-- Custom stages in a custom order.
local api = require "service" "custom_stages"

api:configure("/users/*", function(c)
  c.pipeline.order = { "raw_data", "decoding", "parsing", "munging", "twiddling", "cleanup" }
  c.pipeline.twiddling:add(function(user)
    user.name = user.name .. ", Countess of Lovelace"
    return user
  end)
  c.pipeline.munging:add(function(user)
    user.name = user.name:upper()
    return user
  end)
end)

return api
