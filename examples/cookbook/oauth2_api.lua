-- Uses an API whose tokens come from an OAuth2 server (client credentials): one login for all requests, and a
-- new one before the token ends.
--
--   OAUTH_CLIENT_ID=… OAUTH_CLIENT_SECRET=… resthost get oauth2_api.lua /reports
local rest = require "resthost"

local api = rest.service { name = "api", base_url = rest.env.API_URL or "http://127.0.0.1:8081" }

api:use("oauth2", {
  token_url = rest.env.OAUTH_URL or "http://127.0.0.1:8082/token",
  client_id = rest.env.OAUTH_CLIENT_ID or "reports",
  client_secret = rest.env.OAUTH_CLIENT_SECRET or "a secret for trying out",
  scope = "reports:read",
})

api:configure("/reports/**", function(c)
  c.expiration_time = 300
  c.stale_if_error = 3600
  c.retry = true
end)

rest.gateway { expose = { api = { paths = { "/reports", "/reports/**" } } } }
