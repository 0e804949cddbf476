-- An expired token is renewed, and the failed request is repeated; its caller only waits a little longer. If
-- many requests fail together, there is one login.
local rest = require "resthost"
local api = require "service" "token_refresh"
local login = api:resource("/-/login")
local token = "expired"

api:configure("/private/**", function(c)
  c.headers["Authorization"] = "Bearer " .. token
  c:decorate_requests(rest.refresh_on(401, function()
    local answer, err = login:request("POST", { json = { user = "ada", password = "engine" } }):await()
    if not answer then return nil, err end
    token = answer.json.token
    api:invalidate_configuration()
    return true
  end))
end)

return api
