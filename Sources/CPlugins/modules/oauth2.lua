-- Gets tokens of an OAuth 2.0 server, and sends them with each request (RFC 6749, RFC 6750).
local rest = require "resthost"
local client_module = require "resthost.oauth2_client"
local login_module = require "resthost.oauth2_login"
local plugin = require "resthost.plugin"
local remote = require "resthost.remote"
local scope = require "resthost.scope"
local token_keeper = require "resthost.token_keeper"

local exchange_grant = "urn:ietf:params:oauth:grant-type:token-exchange"
local token_type = "urn:ietf:params:oauth:token-type:"

-- A text that an option gives, perhaps by a function of the partition.
local function value_of(option, partition)
  if type(option) ~= "function" then return option end
  local value, err = option(partition)
  if value == nil then return nil, err or "the function gave no token" end
  if #value >= 6 then rest.secret(value) end
  return value
end

local function client_credentials(client)
  local options = client.options
  local entry, err = client:token {
    grant_type = "client_credentials", scope = options.scope, audience = options.audience,
  }
  -- RFC 6749 4.4.3: such a token needs no refresh token.
  if entry then entry.refresh_token = nil end
  return entry, err
end

-- RFC 8693.
local function exchanged(client, partition)
  local options = client.options
  local subject_token, err = value_of(options.subject_token, partition)
  if not subject_token then return nil, err end
  local actor, access_token = options.actor_token, token_type .. "access_token"
  local entry
  entry, err = client:token {
    grant_type = exchange_grant, subject_token = subject_token,
    subject_token_type = options.subject_token_type or access_token,
    actor_token = actor, actor_token_type = actor and (options.actor_token_type or access_token),
    requested_token_type = options.requested_token_type,
    scope = options.scope, audience = options.audience,
  }
  if entry then entry.refresh_token = nil end
  return entry, err
end

local function expired(options, message)
  if options.login then return ("%s: log in again with `resthost login`"):format(message) end
  return ("%s: the refresh token has expired or was used already. Get a new one; option 'file' "
    .. "keeps those that follow"):format(message)
end

-- RFC 6749 6. The server may give another refresh token each time; the old one is then void.
local function refreshed(client, entry, partition)
  local options = client.options
  local given, err = value_of(options.refresh_token, partition)
  if options.refresh_token and not given then return nil, err end
  local seed = given and rest.hex.encode(rest.crypto.sha256(given))
  local current = entry and entry.seed == seed and entry.refresh_token or given
  if not current then
    local state = entry and "the login has expired" or "nobody has logged in yet"
    return nil, ("%s: run `resthost login`"):format(state)
  end
  local fresh, message, code = client:token {
    grant_type = "refresh_token", refresh_token = current, scope = options.scope, audience = options.audience,
  }
  if not fresh then return nil, code == "invalid_grant" and expired(options, message) or message end
  fresh.refresh_token, fresh.seed = fresh.refresh_token or current, seed
  return fresh
end

local function fetcher(client)
  local options = client.options
  if options.login or options.refresh_token then
    return function(entry, partition) return refreshed(client, entry, partition) end
  end
  if options.subject_token then return function(_, partition) return exchanged(client, partition) end end
  return function() return client_credentials(client) end
end

local uses = 0

-- Whose tokens these are: with other options they are of no use. A file outlives a change of the secret.
local function owner_of(options)
  local place = options.token_url or options.issuer
  local parts = { place, options.client_id, options.scope or "", options.audience or "", options.login or "" }
  if not options.file then parts[#parts + 1] = options.client_secret or options.private_key end
  for _, name in ipairs { "refresh_token", "subject_token", "actor_token", "requested_token_type" } do
    local value = options[name]
    -- Functions can't be compared, so each use has tokens of its own.
    if type(value) == "function" then value = ("function %d"):format(uses) end
    if value then parts[#parts + 1] = ("%s=%s"):format(name, value) end
  end
  local names = {}
  for name in pairs(options.parameters) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do parts[#parts + 1] = ("%s=%s"):format(name, options.parameters[name]) end
  return token_keeper.owner(("%s at %s"):format(options.client_id, place), parts)
end

local function check(options)
  if (options.issuer == nil) == (options.token_url == nil) then
    plugin.blame "'oauth2' takes either 'issuer' or 'token_url'"
  end
  for _, name in ipairs { "issuer", "token_url", "authorization_url", "device_url" } do
    if options[name] then remote.check(options[name], name) end
  end
  local grants = 0
  for _, name in ipairs { "login", "refresh_token", "subject_token" } do
    if options[name] then grants = grants + 1 end
  end
  if grants > 1 then plugin.blame "'oauth2' takes one of 'login', 'refresh_token' and 'subject_token'" end
  if grants == 0 and not options.client_secret and not options.private_key then
    plugin.blame "'oauth2' needs 'client_secret' or 'private_key', or 'login', for a person who logs in"
  end
  if options.client_secret and options.private_key then
    plugin.blame "'oauth2' takes either 'client_secret' or 'private_key'"
  end
  if options.login and not options.file then
    plugin.blame "option 'login' of 'oauth2' needs 'file', where `resthost login` keeps the tokens"
  end
  for name, value in pairs(options.parameters) do
    if type(name) ~= "string" or type(value) ~= "string" then
      plugin.blame "option 'parameters' to 'oauth2' has texts by name"
    end
  end
end

local function made(service, name, options)
  check(options)
  local by_partition = type(options.refresh_token) == "function" or type(options.subject_token) == "function"
  if by_partition and options.file then
    plugin.blame "option 'file' of 'oauth2' holds one token, so it can't go with a function of the partition"
  end
  uses = uses + 1
  local client = client_module.new(name, options)
  return client, token_keeper.new(service, {
    name = "oauth2", owner = owner_of(options), fetch = fetcher(client), store = options.store,
    file = options.file, renew_before = options.renew_before, per_partition = by_partition,
  })
end

-- The uses of the plugin that need a person who logs in.
local logins = {}

local function use(service, options)
  local client, keeper = made(service, service.name, options)
  keeper:apply(options)
  if not options.login then return end
  logins[#logins + 1] = {
    name = service.name, service = service,
    login = function(terminal) return login_module.run(client, keeper, terminal) end,
  }
end

local descriptions = scope.options(require "resthost.oauth2_options")

local function login(target, terminal)
  if type(terminal) ~= "table" or not terminal.print or not (terminal.ask or terminal.listen) then
    plugin.blame "'oauth2.login' takes a terminal with 'print', and 'ask' or 'listen'"
  end
  for _, known in ipairs(logins) do
    if known.service == target then return known.login(terminal) end
  end
  if type(target) ~= "table" then plugin.blame "the service does not use 'oauth2' with option 'login'" end
  local options = plugin.check(target, descriptions, "oauth2.login")
  if not options.login then plugin.blame "option 'login' is missing in the call of 'oauth2.login'" end
  local client, keeper = made(nil, "oauth2", options)
  return login_module.run(client, keeper, terminal)
end

local function list()
  local listed = {}
  for place, known in ipairs(logins) do listed[place] = { name = known.name, login = known.login } end
  return listed
end

return plugin {
  name = "oauth2",
  description = "Gets tokens of an OAuth 2.0 server, sends them as `Authorization: Bearer`, and renews them "
    .. "once for all requests: before they expire, and when the API answers 401.",
  options = descriptions,
  use = use,
  functions = {
    {
      name = "login", call = login,
      signature = "(target: service | table, terminal: table) -> true | nil, message",
      description = "Logs a person in, and keeps the tokens in `file`. The target is a service that uses the "
        .. "plugin with `login`, or a table of options. The terminal has `print(text)`, `ask(prompt)`, which "
        .. "gives the address that the browser was sent to, and perhaps `listen(redirect_uri)`, which gives "
        .. "a redirect URI and a function that waits for the query. It waits.",
    },
    {
      name = "logins", signature = "() -> table[]", call = list,
      description = "The services that use the plugin with `login`, as tables with `name` and "
        .. "`login(terminal)`.",
    },
  },
}
