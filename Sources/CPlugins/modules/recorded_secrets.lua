-- Finds secrets in recorded requests, so that a script reads them from the environment.
local rest = require "resthost"
local writer = require "resthost.script_writer"

local secrets = {}

-- A name without separators that ends with one of these words is a secret's.
local words = {
  "token", "password", "passwd", "passphrase", "secret", "signature", "credential", "credentials",
  "authorization", "apikey", "accesskey", "authkey", "privatekey", "secretkey", "sessionid", "sessionkey",
  "subscriptionkey",
}
local whole = { sig = true, auth = true, session = true, pwd = true, pass = true, otp = true, jwt = true }
-- Tokens of lists and of forms, which say nothing about who asks.
local harmless = { "pagetoken", "continuationtoken", "synctoken", "nexttoken", "idempotencytoken" }

--- Whether the value of a header, a parameter or a field with this name is a secret.
function secrets.is_name(name)
  local plain = name:lower():gsub("[^%w]", "")
  if whole[plain] then return true end
  for _, word in ipairs(harmless) do
    if plain:sub(-#word) == word then return false end
  end
  for _, word in ipairs(words) do
    if plain:sub(-#word) == word then return true end
  end
  return false
end

--- An option of the script for a secret; each name once.
local function option(api, service, name, description)
  local key = service .. " " .. name
  if not api.options_by_key[key] then
    local suffix = service > 1 and "_" .. service or ""
    api.options_by_key[key] = {
      name = writer.unique(writer.name(name) .. suffix, api.taken), description = description,
      is_condition = true,
    }
  end
  return api.options_by_key[key]
end

-- Adds a plugin for a place in the requests of a service. Of several for one place, the first applies for
-- which there are credentials.
local function add(api, service, place, options, code)
  local key = service .. " " .. place
  local list = api.places[key]
  if not list then
    list = { service = service }
    api.places[key] = list
    table.insert(api.security, list)
  end
  for _, known in ipairs(list) do
    if known.code == code then return end
  end
  table.insert(list, { kind = "recorded", options = options, code = code })
end

--- Takes user and password: the plugin that sends them.
function secrets.user(api, service, is_digest)
  local user, password = option(api, service, "username", "The name of the user."),
    option(api, service, "password", "The password.")
  add(api, service, "header authorization", { user, password },
    ('service:use("%s", { username = options.%s, password = options.%s })'):format(
      is_digest and "digest" or "basic", user.name, password.name))
end

--- Takes a header if it is a secret, or said to be one.
function secrets.header(api, service, name, value, is_secret)
  local lower = name:lower()
  if lower == "authorization" then
    local kind = value:match "^%s*(%S*)":lower()
    if kind == "basic" or kind == "digest" then
      secrets.user(api, service, kind == "digest")
    elseif kind == "bearer" then
      local token = option(api, service, "token", "The token, without `Bearer`.")
      add(api, service, "header authorization", { token },
        ('service:use("api_key", { header = "Authorization", value = "Bearer " .. options.%s })'):format(
          token.name))
    else
      local whole_value = option(api, service, "authorization", "The value of `Authorization`.")
      add(api, service, "header authorization", { whole_value },
        ('service:use("api_key", { header = "Authorization", value = options.%s })'):format(whole_value.name))
    end
    return true
  elseif lower == "cookie" or is_secret or secrets.is_name(name) then
    local one = option(api, service, name, ("The value of the header `%s`."):format(name))
    add(api, service, "header " .. lower, { one },
      ('service:use("api_key", { header = %s, value = options.%s })'):format(writer.quote(name), one.name))
    return true
  end
  return false
end

--- Takes a parameter of a query if it is a secret, or said to be one. A long `key` is that of an API.
function secrets.parameter(api, service, name, value, is_secret)
  local is_key = name:lower() == "key" and type(value) == "string" and #value >= 20
  if not is_key and not is_secret and not secrets.is_name(name) then return false end
  local one = option(api, service, name, ("The value of the parameter `%s`."):format(name))
  add(api, service, "query " .. name, { one },
    ('service:use("api_key", { query = %s, value = options.%s })'):format(writer.quote(name), one.name))
  return true
end

-- The option for a secret in a body, as an expression.
local function of_field(api, service, name)
  local one = option(api, service, name, ("The value of the field `%s`."):format(name))
  if not api.places["field " .. one.name] then table.insert(api.secret_options, one) end
  api.places["field " .. one.name] = true
  return writer.expression(("options.%s or \"\""):format(one.name))
end

--- A copy of a body's value with options in place of secrets.
function secrets.body(api, service, value, name, depth)
  depth = depth or 0
  if type(value) ~= "table" then
    if name and type(value) == "string" and value ~= "" and secrets.is_name(name) then
      return of_field(api, service, name)
    end
    return value
  end
  if depth > 40 then return value end
  local copy = {}
  for key, item in pairs(value) do
    copy[key] = secrets.body(api, service, item, type(key) == "string" and key or name, depth + 1)
  end
  return writer.is_list(value) and rest.json.array(copy) or rest.json.object(copy)
end

--- The value of a field of a form, or the option for it.
function secrets.field(api, service, name, value)
  return value ~= "" and secrets.is_name(name) and of_field(api, service, name) or value
end

return secrets
