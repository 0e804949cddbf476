-- A header whose value changes. A block runs when it is first needed, and its result is kept. A new value of
-- `token` takes effect after the next invalidate_configuration().
local api = require "service" "changing_token"
local session = api:resource("/-/login")
local token

api:configure("**", function(c)
  if token then c.headers["Authorization"] = "Bearer " .. token end
end)

session:add_observer(function(resource)
  local new = resource.json.token
  if new ~= token then
    token = new
    api:invalidate_configuration()
  end
end)

return api
