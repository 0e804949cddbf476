-- Asks an OAuth 2.0 server for its endpoints and for tokens (RFC 6749).
local rest = require "resthost"
local jwt = require "resthost.jwt"
local remote = require "resthost.remote"
local server_clock = require "resthost.server_clock"

local client = {}
client.__index = client

local jwt_bearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
local most_token_bytes = 64 * 1024
local longest_lifetime = 10 * 365 * 24 * 3600

-- Token responses

local function lifetime_of(answer, place)
  local value = answer.expires_in
  if value == nil or value == rest.null then return nil end
  local seconds = tonumber(value)
  if type(value) ~= "number" and type(value) ~= "string" or not seconds or seconds ~= seconds then
    local text = tostring(value):sub(1, 100)
    return nil, ("%s gave an 'expires_in' that is not a number: '%s'"):format(place, text)
  end
  if seconds <= 0 then
    return nil, ("%s gave a token that has expired already: its 'expires_in' is %s"):format(place, value)
  end
  return math.min(seconds, longest_lifetime)
end

--- Whether a value is a text that can be sent in a header.
function client.is_token(value)
  return type(value) == "string" and #value <= most_token_bytes and value:find "^[\33-\126]+$" ~= nil
end

--- The entry of a token response (RFC 6749 5.1), or nil and what is wrong with it. Its lifetime counts from
--- now, so the clocks of both sides need not agree.
function client.entry_of(answer, place)
  if type(answer.error) == "string" then
    return nil, remote.with_reason(("%s refused"):format(place), answer)
  end
  if answer.access_token == nil then return nil, ("%s gave no 'access_token'"):format(place) end
  if not client.is_token(answer.access_token) then
    return nil, ("%s gave an 'access_token' that can't be sent in a header"):format(place)
  end
  local kind = answer.token_type
  if kind ~= nil and (type(kind) ~= "string" or kind:lower() ~= "bearer") then
    local text = tostring(kind):sub(1, 100)
    return nil, ("%s gave a token of type '%s', but only Bearer tokens are known here"):format(place, text)
  end
  local lifetime, err = lifetime_of(answer, place)
  if err then return nil, err end
  local refresh_token = client.is_token(answer.refresh_token) and answer.refresh_token or nil
  return { token = answer.access_token, lifetime = lifetime, refresh_token = refresh_token }
end

-- Discovery

-- The places of the document: OpenID Connect Discovery 4, and RFC 8414 3.1 with the path behind it.
local function places_of(issuer)
  local base = issuer:gsub("/$", "")
  local origin, path = base:match "^(%w+://[^/]+)(.*)$"
  return {
    base .. "/.well-known/openid-configuration",
    origin .. "/.well-known/oauth-authorization-server" .. path,
  }
end

local function checked_document(document, issuer, url)
  if document.issuer ~= issuer then
    local text = tostring(document.issuer):sub(1, 200)
    return nil, ("%s is of the issuer '%s', not of '%s': correct option 'issuer'"):format(url, text, issuer)
  end
  for name, value in pairs(document) do
    local is_endpoint = name:find "_endpoint$" and type(value) == "string"
    if is_endpoint and issuer:find "^https:" and not remote.is_safe(value) then
      return nil, ("%s has an '%s' that is no https URL: '%s'"):format(url, name, value:sub(1, 200))
    end
  end
  return document
end

function client:discover()
  if self.document then return self.document end
  local issuer, message, refusal = self.options.issuer, nil, nil
  for _, url in ipairs(places_of(issuer)) do
    local request = self:service_for(url):resource_at(url):request "GET"
    local document, err, details = remote.answer(request, "GET", url)
    if document then
      self.document, err = checked_document(document, issuer, url)
      return self.document, err
    end
    message = message and ("%s; %s"):format(message, err) or err
    refusal = details
    -- Only a missing document is a reason to look elsewhere.
    if not refusal.status or refusal.status >= 500 then break end
  end
  return nil, ("can't discover the endpoints of the issuer: %s"):format(message)
end

--- The URL of an endpoint: an option, or what the issuer's document says.
function client:endpoint(option, field)
  local url = self.options[option]
  if url then return url end
  if not self.options.issuer then return nil, ("option '%s' is missing"):format(option) end
  local document, err = self:discover()
  if not document then return nil, err end
  url = document[field]
  if type(url) ~= "string" or not remote.origin(url) then
    return nil, ("the issuer %s names no '%s': give option '%s'"):format(self.options.issuer, field, option)
  end
  return url
end

--- The service for a URL. Each origin has one, so that its host counts as one that the script declares.
function client:service_for(url)
  local origin = remote.origin(url)
  local service = self.services[origin]
  if not service then
    service = remote.service(self.name .. " login", url, self.options.transport)
    self.services[origin] = service
  end
  return service
end

-- Requests

-- RFC 7523 2.2: the client proves who it is with a signed token.
local function assertion(options, url, now)
  return jwt.sign({
    iss = options.client_id, sub = options.client_id, aud = url,
    jti = rest.crypto.uuid(), iat = now, exp = now + 300,
  }, {
    key = options.private_key, algorithm = options.algorithm, header = { kid = options.key_id },
  })
end

-- Adds what says who the client is (RFC 6749 2.3).
local function authenticate(options, url, form, headers, now)
  if options.private_key then
    form.client_id = options.client_id
    form.client_assertion_type, form.client_assertion = jwt_bearer, assertion(options, url, now)
  elseif not options.client_secret or options.client_auth == "post" then
    form.client_id, form.client_secret = options.client_id, options.client_secret
  else
    local pair = rest.url.encode(options.client_id) .. ":" .. rest.url.encode(options.client_secret)
    headers.Authorization = "Basic " .. rest.base64.encode(pair)
  end
end

--- Sends a form with the client's credentials. Gives a JSON object, or nil, a message and the refusal.
function client:post(url, form)
  local function send(now)
    local sent, headers = {}, { Accept = "application/json" }
    for name, value in pairs(form) do sent[name] = value end
    authenticate(self.options, url, sent, headers, now)
    local request = self:service_for(url):resource_at(url):request("POST", { form = sent, headers = headers })
    return remote.answer(request, "POST", url)
  end
  if self.options.private_key then return server_clock.with_time(self.clock, send) end
  return send()
end

--- Asks the token endpoint for a token. Gives an entry, or nil, a message and the code of the error.
function client:token(form)
  local url, err = self:endpoint("token_url", "token_endpoint")
  if not url then return nil, err end
  for name, value in pairs(self.options.parameters) do
    if form[name] == nil then form[name] = value end
  end
  local answer, message, refusal = self:post(url, form)
  if not answer then return nil, message, refusal.json and refusal.json.error end
  local entry
  entry, message = client.entry_of(answer, "POST " .. url)
  return entry, message, answer.error
end

--- A client whose `name` begins those of its services.
function client.new(name, options)
  local made = { name = name, options = options, services = {}, clock = server_clock.new() }
  setmetatable(made, client)
  made:service_for(options.token_url or options.issuer)
  return made
end

return client
