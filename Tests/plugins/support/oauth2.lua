-- A host with an API, a server of tokens, and the plugin `oauth2` between them, for its tests.
local t = require "resthost.test"
local rest = require "resthost"

local f = { token_url = "https://login.example/token" }

--- Answers with the tokens t-000001, t-000002 and so on. `rest.null` leaves a field out.
function f.issue(fields)
  return function()
    f.issued = f.issued + 1
    local answer = { access_token = ("t-%06d"):format(f.issued), token_type = "Bearer", expires_in = 600 }
    for name, value in pairs(fields or {}) do answer[name] = value end
    for name, value in pairs(answer) do
      if value == rest.null then answer[name] = nil end
    end
    return { json = answer }
  end
end

--- Begins anew, with further options for the plugin. `rest.null` leaves one out.
function f.start(options)
  f.host, f.issued = t.host(), 0
  f.api = f.host.rest.service { name = "api", base_url = "https://api.example/v1" }
  local all = { token_url = f.token_url, client_id = "me", client_secret = "a secret" }
  for name, value in pairs(options or {}) do all[name] = value end
  for name, value in pairs(all) do
    if value == rest.null then all[name] = nil end
  end
  f.stub = f.host:stub("*", "https://api.example/**", { json = {} })
  f.login = f.host:stub("POST", f.token_url, f.issue())
  f.api:use("oauth2", all)
end

--- The outcome of a load.
function f.get(path) return f.api:resource(path or "users"):load():await() end

--- The fields of a request for a token.
function f.form(number)
  local fields = {}
  for name, value in f.login.requests[number or #f.login.requests].body:gmatch "([^&=]+)=([^&]*)" do
    fields[rest.url.decode(name)] = rest.url.decode(value)
  end
  return fields
end

--- The Authorization of a request to the API.
function f.sent(number) return f.stub.requests[number or #f.stub.requests].headers.authorization end

--- Makes the API take these tokens only.
function f.accept(tokens)
  f.stub = f.host:stub("*", "https://api.example/**", function(request)
    local token = (request.headers.authorization or ""):match "^Bearer (.*)$"
    return tokens[token] and { json = {} } or { status = 401, json = {} }
  end)
end

return f
