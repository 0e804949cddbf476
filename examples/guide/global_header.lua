-- A header for every request of the service, to any host.
local api = require "service" "global_header"

api:configure(function(c) c.headers["X-App-Version"] = "7.1" end)

-- Credentials belong in a block for "**", because other hosts that the service may reach don't get them.
api:configure("**", function(c) c.headers["X-App-Secret"] = "2g3h4bkv234" end)

return api
