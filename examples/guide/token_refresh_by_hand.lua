-- rest.refresh_on step by step: a chain waits for the request, and decides what happens with its outcome. In
-- this version each failed request logs in by itself.
local rest = require "resthost"
local api = require "service" "token_refresh_by_hand"
local login = api:resource("/-/login")
local token = "expired"

local function log_in()
  return login:request("POST", { json = { user = "ada", password = "engine" } }):on_success(function(answer)
    token = answer.json.token
    api:invalidate_configuration()
  end)
end

api:configure("/private/**", function(c)
  c.headers["Authorization"] = "Bearer " .. token
  c:decorate_requests(function(_, request)
    return request:chained(function(info)
      local err = info.response.error
      if not err or err.http_status_code ~= 401 then return rest.use_this_response end
      return rest.pass_to(log_in():chained(function(answer)
        if not answer.response.ok then return rest.use_this_response end
        return rest.pass_to(request:repeated())
      end))
    end)
  end)
end)

return api
