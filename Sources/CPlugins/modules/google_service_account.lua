-- Sends the tokens of a Google service account (RFC 7523), or tokens that the account signs itself.
local rest = require "resthost"
local client = require "resthost.oauth2_client"
local jwt = require "resthost.jwt"
local plugin = require "resthost.plugin"
local remote = require "resthost.remote"
local scope = require "resthost.scope"
local server_clock = require "resthost.server_clock"
local token_keeper = require "resthost.token_keeper"

local default_token_url = "https://oauth2.googleapis.com/token"
local grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
local lifetime = 3600

-- The account of a key file, as Google gives it.
local function account_of(options)
  if (options.key == nil) == (options.key_file == nil) then
    plugin.blame "'google_service_account' takes either 'key' or 'key_file'"
  end
  local key, place = options.key, "option 'key'"
  if options.key_file then
    local text, err = rest.read_file(options.key_file)
    if not text then plugin.blame(("option 'key_file' to 'google_service_account': %s"):format(err)) end
    key, place = text, options.key_file
  end
  if type(key) == "string" then key = rest.json.decode(key) end
  if type(key) ~= "table" then plugin.blame(("%s is not the JSON of a key file"):format(place)) end
  if key.type ~= "service_account" then
    local kind = tostring(key.type)
    plugin.blame(("%s is not the key of a service account: its 'type' is '%s'"):format(place, kind))
  end
  for _, name in ipairs { "client_email", "private_key" } do
    if type(key[name]) ~= "string" then plugin.blame(("%s has no '%s'"):format(place, name)) end
  end
  if #key.private_key >= 6 then rest.secret(key.private_key) end
  return key
end

local function signed(account, claims)
  claims.iss = account.client_email
  return jwt.sign(claims, {
    key = account.private_key, algorithm = "RS256", header = { kid = account.private_key_id },
  })
end

-- A token that the API itself takes, without a server that issues it.
local function self_signed(account, options)
  local now = rest.now()
  local token = signed(account, {
    sub = account.client_email, aud = options.audience, scope = options.scope,
    iat = now, exp = now + lifetime,
  })
  return { token = token, lifetime = lifetime }
end

local function fetch(login, clock, account, url, options)
  local answer, err = server_clock.with_time(clock, function(now)
    local assertion = signed(account, {
      sub = options.subject, scope = options.scope, aud = url, iat = now, exp = now + lifetime,
    })
    local request = login:resource_at(url):request("POST", {
      form = { grant_type = grant, assertion = assertion }, headers = { Accept = "application/json" },
    })
    return remote.answer(request, "POST", url)
  end)
  if not answer then return nil, err end
  return client.entry_of(answer, "POST " .. url)
end

local function use(service, options)
  if type(options.scopes) == "table" then
    options.scope = table.concat(options.scopes, " ")
  else
    options.scope = options.scopes
  end
  if options.scope == nil and options.audience == nil then
    plugin.blame "'google_service_account' needs 'scopes', or 'audience' for tokens that the account signs"
  end
  if options.audience and options.subject then
    plugin.blame "'google_service_account' takes 'subject' only without 'audience'"
  end
  local account = account_of(options)
  local url = account.token_uri or default_token_url
  remote.check(url, "key.token_uri")
  signed(account, {})
  local fetched = function() return self_signed(account, options) end
  if not options.audience then
    local clock, login = server_clock.new(), remote.service(service.name .. " login", url, options.transport)
    fetched = function() return fetch(login, clock, account, url, options) end
  end
  local facts = { options.scope or "", options.audience or "", options.subject or "", url }
  token_keeper.new(service, {
    name = "google_service_account", owner = token_keeper.owner(account.client_email, facts),
    fetch = fetched, store = options.store, renew_before = options.renew_before,
  }):apply(options)
end

return plugin {
  name = "google_service_account",
  description = "Sends the token of a Google service account, which it gets once for all requests and renews "
    .. "early.",
  options = scope.options(table.move(token_keeper.options, 1, #token_keeper.options, 6, {
    {
      name = "key_file", type = "string",
      description = "The account's key file (JSON), relative to the script's folder.",
    },
    { name = "key", type = "string | table", secret = true, description = "Its content, not a file." },
    { name = "scopes", type = "string | string[]", description = "The scopes to ask for." },
    {
      name = "audience", type = "string",
      description = "The API, such as `https://pubsub.googleapis.com/`: the account signs tokens for it "
        .. "itself, and no server is asked.",
    },
    { name = "subject", type = "string", description = "The user to act for, if the domain permits it." },
  })),
  use = use,
}
