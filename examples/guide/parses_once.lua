-- A response is transformed once, however many hooks, observers and clients use it.
local rest = require "resthost"
local api = require "service" "parses_once"
local count = 0

api:configure_transformer("/users/*", function(user)
  count = count + 1
  rest.log.info("parsed " .. count .. " times")
  user.parsed = count
  return user
end)

return api
