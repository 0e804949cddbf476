-- A header for every request of the service, whatever host it goes to.
local api = require "service" "global_header"

api:configure(function(c) c.headers["X-App-Version"] = "7.1" end)

-- A credential belongs behind "**": other hosts that the service may reach don't get it.
api:configure("**", function(c) c.headers["X-App-Secret"] = "2g3h4bkv234" end)

return api
