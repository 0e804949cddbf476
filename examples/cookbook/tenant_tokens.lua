-- Each customer uses an API with a token of their own, which is fetched when it is needed and renewed when it
-- has expired. A client sees its own data only.
--
--   resthost run tenant_tokens.lua
--   curl -H 'Authorization: Bearer north-key-123' http://127.0.0.1:8080/crm/contacts
local rest = require "resthost"

local crm = rest.service { name = "crm", base_url = rest.env.CRM_URL or "http://127.0.0.1:8081" }

-- The account of each client at the API.
local accounts = {
  north = { id = "north-account", secret = rest.env.NORTH_SECRET or "north-secret" },
  south = { id = "south-account", secret = rest.env.SOUTH_SECRET or "south-secret" },
}
local tokens = {}

local function log_in(name)
  local account = accounts[name]
  local entity, err = crm:resource("/login"):request("POST", { json = account }):await()
  if not entity then return nil, err end
  tokens[name] = rest.secret(entity.json.token)
  return true
end

crm:configure("**", { methods = "GET" }, function(c)
  c.expiration_time = 60
  c:mutate_requests(function(draft)
    local token = tokens[draft.partition]
    if token then draft.headers["Authorization"] = "Bearer " .. token end
  end)
  c:decorate_requests(rest.refresh_on(401, log_in))
end)

local gateway = rest.gateway {
  expose = { crm = { paths = { "/contacts", "/contacts/**" } } },
  auth = {
    tokens = {
      { name = "north", token = rest.env.NORTH_KEY or "north-key-123" },
      { name = "south", token = rest.env.SOUTH_KEY or "south-key-456" },
    },
  },
}

-- The partition keeps the resources of clients apart.
gateway:before("/crm/**", function(request) request.partition = request.client.name end)
