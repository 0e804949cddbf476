-- Security schemes of an OpenAPI document, as options of the script and plugins that it uses.
local document = require "resthost.openapi_document"
local writer = require "resthost.script_writer"

local security = {}

local function quoted(format, ...)
  local values = { ... }
  for index, value in ipairs(values) do values[index] = writer.quote(value) end
  return format:format(table.unpack(values))
end

-- An option with a credential. `condition` is one that has to be there for the plugin to be used.
local function option(name, description, is_condition)
  return { name = name, description = description, is_condition = is_condition ~= false }
end

local function api_key(name, scheme)
  local where, key = scheme["in"], scheme.name
  if type(key) ~= "string" then return nil end
  local description = writer.sentence(scheme.description, 120)
    or writer.sentence(("The value of `%s`."):format(key), 120)
  local options = { option(name, description) }
  if where == "header" then
    return options, "header " .. key:lower(),
      quoted('service:use("api_key", { header = %s, value = options.', key) .. name .. " })"
  elseif where == "query" then
    return options, "query " .. key,
      quoted('service:use("api_key", { query = %s, value = options.', key) .. name .. " })"
  elseif where == "cookie" then
    return options, "cookie", ([[service:configure("**", { description = %s }, function(c)
      c.headers["Cookie"] = %s .. options.%s
    end)]]):format(writer.quote(name), writer.quote(key .. "="), name)
  end
end

local function of_http(name, scheme)
  local kind = tostring(scheme.scheme):lower()
  if kind == "basic" or kind == "digest" then
    local user, password = name .. "_username", name .. "_password"
    return { option(user, "The name of the user."), option(password, "The password.") },
      "header authorization",
      ('service:use("%s", { username = options.%s, password = options.%s })'):format(kind, user, password)
  elseif kind == "bearer" then
    local token = name:find "token$" and name or name .. "_token"
    return { option(token, "The token, without `Bearer`.") }, "header authorization",
      ('service:use("api_key", { header = "Authorization", value = "Bearer " .. options.%s })'):format(token)
  end
end

-- The first flow that a script can run by itself, else one that needs a refresh token.
local function flow_of(scheme)
  local flows = document.table(scheme.flows)
  for _, name in ipairs { "clientCredentials", "authorizationCode", "deviceAuthorization", "password",
    "implicit" } do
    if type(flows[name]) == "table" then return flows[name], name end
  end
  return {}, "none"
end

-- How a person logs in with `resthost login`, by flow: the option, the name of the URL, and its field.
local logins = {
  authorizationCode = { "code", "authorization_url", "authorizationUrl" },
  deviceAuthorization = { "device", "device_url", "deviceAuthorizationUrl" },
}

-- A URL of a flow. One that begins with a slash is relative to the API's host.
local function flow_url(url, base_url)
  url = document.text(url)
  return url and url:find "^/" and (base_url:match "^(https?://[^/]+)" or "") .. url or url
end

local function of_oauth2(name, scheme, base_url)
  local flow, kind = flow_of(scheme)
  local id, secret, refresh = name .. "_client_id", name .. "_client_secret", name .. "_refresh_token"
  local login = logins[kind]
  local login_url = login and flow_url(flow[login[3]], base_url)
  -- Without a person and a refresh token, a client needs a secret.
  local is_client = kind == "clientCredentials" or kind == "none"
  local options = {
    option(id, "The client's identifier."), option(secret, "The client's secret.", is_client),
  }
  local fields = { "client_id = options." .. id, "client_secret = options." .. secret }
  if scheme.type == "openIdConnect" then
    local issuer = tostring(scheme.openIdConnectUrl):gsub("/%.well%-known/openid%-configuration$", "")
    table.insert(fields, 1, "issuer = " .. writer.quote(issuer))
  else
    local url = flow_url(flow.tokenUrl, base_url) or flow_url(flow.refreshUrl, base_url)
    -- Without one (the implicit flow), tokens are made elsewhere.
    if not url then return of_http(name, { scheme = "bearer" }) end
    table.insert(fields, 1, "token_url = " .. writer.quote(url))
  end
  if not is_client then
    options[#options + 1] = option(refresh, "A refresh token, which a login gave.", not login_url)
    fields[#fields + 1] = "refresh_token = options." .. refresh
  end
  if login_url then
    fields[#fields + 1] = ("%s = %s"):format(login[2], writer.quote(login_url))
    fields[#fields + 1] = ("login = not options.%s and \"%s\" or nil"):format(refresh, login[1])
    fields[#fields + 1] = ("file = not options.%s and name .. \"_tokens.json\" or nil"):format(refresh)
  end
  if next(document.table(flow.scopes)) ~= nil then
    options[#options + 1] = option(name .. "_scope", "The scopes to ask for, with blanks in between.", false)
    fields[#fields + 1] = ("scope = options.%s_scope"):format(name)
  end
  return options, "header authorization",
    ('service:use("oauth2", {\n      %s,\n    })'):format(table.concat(fields, ",\n      "))
end

-- The schemes that the document's requirements name, most used first; all if none is named.
local function used_schemes(doc, operations)
  local schemes = document.table(document.table(doc.root.components).securitySchemes)
  local uses = {}
  local function count(requirements, weight)
    for _, requirement in ipairs(document.table(requirements)) do
      for _, name in ipairs(document.keys(requirement)) do uses[name] = (uses[name] or 0) + weight end
    end
  end
  count(doc.root.security, 1 + #operations)
  for _, operation in ipairs(operations) do count(operation.security, 1) end
  local names = {}
  for _, name in ipairs(document.keys(schemes)) do
    if uses[name] or next(uses) == nil then names[#names + 1] = name end
  end
  table.sort(names, function(a, b)
    local of_a, of_b = uses[a] or 0, uses[b] or 0
    if of_a ~= of_b then return of_a > of_b end
    return a < b
  end)
  return names, schemes
end

--- The security schemes: lists of `{ options, code }` by the place in the request that they fill. Of one
--- place the first applies for which the script has credentials.
function security.of(doc, operations, base_url, taken)
  local places, order = {}, {}
  local names, schemes = used_schemes(doc, operations)
  for _, name in ipairs(names) do
    local scheme = doc:resolve(schemes[name])
    local option_name = writer.unique(writer.name(name, "key"), taken)
    local options, place, code
    if scheme.type == "apiKey" then
      options, place, code = api_key(option_name, scheme)
    elseif scheme.type == "http" then
      options, place, code = of_http(option_name, scheme)
    elseif scheme.type == "oauth2" or scheme.type == "openIdConnect" then
      options, place, code = of_oauth2(option_name, scheme, base_url)
    end
    if options then
      if not places[place] then order[#order + 1] = place end
      places[place] = places[place] or {}
      table.insert(places[place], { name = name, kind = scheme.type, options = options, code = code })
      if code:find "oauth2" then
        -- A token that was made elsewhere serves as well.
        options, place, code = of_http(option_name, { scheme = "bearer" })
        table.insert(places[place], { name = name, kind = "http", options = options, code = code })
      end
    else
      doc:warn("the security scheme '%s' (%s) has no plugin: add its credentials in a block", name,
        tostring(scheme.scheme or scheme.type))
    end
  end
  local lists = {}
  for index, place in ipairs(order) do lists[index] = places[place] end
  return lists
end

return security
