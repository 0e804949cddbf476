-- A client that gets a 401 isn't logged in. One decorator says so, for every request.
local rest = require "resthost"
local api = require "service" "login_on_401"

api:configure("**", function(c)
  c:decorate_requests(function(resource, request)
    return request:on_failure(function(err)
      if err.http_status_code == 401 then rest.log.warn("log in to see " .. resource.url) end
    end)
  end)
end)

return api
