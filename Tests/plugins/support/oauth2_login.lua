-- A host whose script logs a person in with the plugin `oauth2`, for its tests.
local t = require "resthost.test"
local rest = require "resthost"

local token_url, authorize_url = "https://login.example/token", "https://login.example/authorize"
local f = { token_url = token_url, authorize_url = authorize_url }

-- A script that logs in when its gateway is asked to. Its terminal has a browser, which goes to the address
-- that was printed last and gives the one that it is sent to.
local source = [[
  local rest = require "resthost"
  local oauth2 = require "resthost.oauth2"
  local options = rest.json.decode [==[OPTIONS]==]
  local api = rest.service { name = "api", base_url = "https://api.example/v1" }
  api:use("oauth2", options)

  local browser = rest.service { name = "browser", base_url = "https://login.example" }
  browser:configure("**", function(c) c.redirects.follow = false end)

  local function terminal_of(settings)
    local terminal, address = { printed = {} }, nil
    function terminal.print(text)
      terminal.printed[#terminal.printed + 1] = text
      address = text:match "^https://%S+$" or address
    end
    local function browse()
      if settings.answer then return settings.answer end
      local entity = browser:resource_at(address):request("GET"):await()
      return entity and entity.headers.Location
    end
    if settings.listen then
      function terminal.listen(wanted)
        return wanted or settings.listen, function() return browse():match "%?(.*)$" end
      end
    else
      terminal.ask = browse
    end
    return terminal
  end

  rest.gateway {}:route("POST", "/login", function(request)
    local terminal, settings = terminal_of(request.json), request.json
    local target = settings.by_options and options or api
    local done, err
    if settings.listed then
      done, err = oauth2.logins()[1].login(terminal)
    else
      done, err = oauth2.login(target, terminal)
    end
    return { done = done or false, err = err or "", printed = terminal.printed, count = #oauth2.logins() }
  end)
]]

--- Loads the script with these options.
function f.load(options)
  local text = rest.json.encode(options):gsub("%%", "%%%%")
  f.host = t.load { source = (source:gsub("OPTIONS", text)) }
  f.api = f.host.services.api
  f.stub = f.host:stub("*", "https://api.example/**", { json = {} })
  f.login = f.host:stub("POST", token_url, {
    json = { access_token = "token-1", refresh_token = "refresh-1", expires_in = 600 },
  })
end

--- Begins anew, with further options for the plugin. The tokens are at `f.path`.
function f.start(given)
  f.options = { token_url = token_url, client_id = "me", file = f.path, login = "code" }
  f.options.authorization_url = authorize_url
  for name, value in pairs(given or {}) do f.options[name] = value end
  f.load(f.options)
end

--- The browser's answer: the redirect URI with a code, and what `fields` adds or replaces.
function f.authorize(fields)
  return f.host:stub("GET", authorize_url, function(request)
    local asked = rest.url.parse(request.url).params
    local answer = { code = "the-code", state = asked.state }
    for name, value in pairs(fields or {}) do answer[name] = value end
    local parts = {}
    for name, value in pairs(answer) do parts[#parts + 1] = name .. "=" .. rest.url.encode(value) end
    local location = asked.redirect_uri .. "?" .. table.concat(parts, "&")
    return { status = 302, headers = { Location = location } }
  end)
end

--- The fields of a request for a token.
function f.form(request)
  local fields = {}
  for name, value in request.body:gmatch "([^&=]+)=([^&]*)" do
    fields[rest.url.decode(name)] = rest.url.decode(value)
  end
  return fields
end

--- The outcome of a load.
function f.get() return f.api:resource("users"):load():await() end

--- Logs in, and gives `err` (empty after a success), what was `printed`, and the `count` of logins.
function f.log_in(settings) return f.host:request("POST", "/login", { json = settings or {} }).json end

return f
