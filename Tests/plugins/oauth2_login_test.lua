local t = require "resthost.test"
local rest = require "resthost"

local token_url, authorize_url = "https://login.example/token", "https://login.example/authorize"
local path = "oauth2_login_test.tokens"
local host, api, stub, login, options

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

local function start(given)
  options = { token_url = token_url, client_id = "me", file = path, login = "code" }
  options.authorization_url = authorize_url
  for name, value in pairs(given or {}) do options[name] = value end
  host = t.load { source = (source:gsub("OPTIONS", (rest.json.encode(options):gsub("%%", "%%%%")))) }
  api = host.services.api
  stub = host:stub("*", "https://api.example/**", { json = {} })
  login = host:stub("POST", token_url, {
    json = { access_token = "token-1", refresh_token = "refresh-1", expires_in = 600 },
  })
end

-- The browser's answer: the redirect URI with a code, and what `fields` adds or replaces.
local function authorize(fields)
  return host:stub("GET", authorize_url, function(request)
    local asked = rest.url.parse(request.url).params
    local answer = { code = "the-code", state = asked.state }
    for name, value in pairs(fields or {}) do answer[name] = value end
    local parts = {}
    for name, value in pairs(answer) do parts[#parts + 1] = name .. "=" .. rest.url.encode(value) end
    local location = asked.redirect_uri .. "?" .. table.concat(parts, "&")
    return { status = 302, headers = { Location = location } }
  end)
end

local function form(request)
  local fields = {}
  for name, value in request.body:gmatch "([^&=]+)=([^&]*)" do
    fields[rest.url.decode(name)] = rest.url.decode(value)
  end
  return fields
end

local function get() return api:resource("users"):load():await() end
local function log_in(settings) return host:request("POST", "/login", { json = settings or {} }).json end

t.before_each(function() t.assert(rest.write_file(path, "")) end)

t.describe("without a login", function()
  t.test("requests fail and name the command", function()
    start()
    local _, err = get()
    t.matches(err.user_message, "nobody has logged in yet: run `resthost login`")
    t.equal(#login.requests, 0)
  end)
end)

t.describe("a login with a code", function()
  t.test("has state and PKCE, and its tokens are used", function()
    start { scope = "read offline", audience = "shop" }
    local page = authorize()
    t.equal(log_in().err, "")
    local asked = rest.url.parse(page.requests[1].url).params
    t.equal(asked.response_type, "code")
    t.equal(asked.client_id, "me")
    t.equal(asked.scope, "read offline")
    t.equal(asked.redirect_uri, "http://127.0.0.1:8400/callback")
    t.equal(asked.code_challenge_method, "S256")
    local fields = form(login.requests[1])
    t.equal(fields.grant_type, "authorization_code")
    t.equal(fields.code, "the-code")
    t.equal(fields.redirect_uri, asked.redirect_uri)
    t.equal(#fields.code_verifier, 43)
    local digest = rest.base64.encode(rest.crypto.sha256(fields.code_verifier))
    t.equal(asked.code_challenge, (digest:gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })))
    t.assert(get())
    t.equal(stub.requests[1].headers.authorization, "Bearer token-1")
    t.equal(#login.requests, 1)
  end)

  t.test("outlives the program, and its refresh tokens follow each other in the file", function()
    start()
    authorize()
    t.equal(log_in { listed = true }.err, "")
    start()
    t.assert(get())
    t.equal(stub.requests[1].headers.authorization, "Bearer token-1")
    t.equal(#login.requests, 0)
    login = host:stub("POST", token_url, {
      json = { access_token = "token-2", refresh_token = "refresh-2", expires_in = 600 },
    })
    host:advance(601)
    t.assert(get())
    t.equal(form(login.requests[1]).refresh_token, "refresh-1")
    start()
    host:advance(1300)
    t.assert(get())
    t.equal(form(login.requests[1]).refresh_token, "refresh-2")
  end)

  t.test("by another program is seen when the tokens of this one are of no use", function()
    start()
    authorize()
    t.equal(log_in().err, "")
    t.assert(get())
    host:advance(601)
    local text = t.assert(rest.read_file(path))
    text = text:gsub("token%-1", "token-9"):gsub('"obtained":[%d.e+]+', '"obtained":1000601')
    t.assert(rest.write_file(path, text))
    t.assert(get())
    t.equal(stub.requests[2].headers.authorization, "Bearer token-9")
    t.equal(#login.requests, 1)
  end)

  t.test("listens where the terminal can", function()
    start()
    local page = authorize()
    t.equal(log_in({ listen = "http://127.0.0.1:5000/" }).err, "")
    t.equal(rest.url.parse(page.requests[1].url).params.redirect_uri, "http://127.0.0.1:5000/")
    t.equal(form(login.requests[1]).redirect_uri, "http://127.0.0.1:5000/")
  end)

  t.test("takes the code alone, or a query", function()
    start()
    t.equal(log_in({ answer = " the-code\n" }).err, "")
    t.equal(form(login.requests[1]).code, "the-code")
    t.equal(log_in({ answer = "code-of-base64==" }).err, "")
    t.equal(form(login.requests[2]).code, "code-of-base64==")
    t.matches(log_in({ answer = "?code=a&state=b" }).err, "another login")
    t.matches(log_in({ answer = "state=b&code=a" }).err, "another login")
  end)

  t.test("of another state is refused", function()
    start()
    authorize { state = "x" }
    t.matches(log_in().err, "belongs to another login %(state%)")
    t.equal(#login.requests, 0)
  end)

  t.test("that the person refuses says so", function()
    start()
    authorize { error = "access_denied", error_description = "no" }
    t.matches(log_in().err, "the login was refused: access_denied %(no%)")
    t.matches(log_in({ answer = "" }).err, "has no code")
  end)

  t.test("that the server refuses says why", function()
    start()
    authorize()
    host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    t.matches(log_in().err, "answered 400: invalid_grant")
    t.equal(rest.read_file(path), "")
  end)

  t.test("needs no service, but its options", function()
    start()
    authorize()
    local answer = log_in { by_options = true }
    t.equal(answer.err, "")
    t.equal(answer.count, 1)
    t.assert(get())
  end)

  t.test("says when there is no refresh token", function()
    start()
    authorize()
    host:stub("POST", token_url, { json = { access_token = "token-1", expires_in = 600 } })
    local answer = log_in()
    t.matches(answer.printed[#answer.printed], "no refresh token")
    t.assert(get())
    host:advance(601)
    local _, err = get()
    t.matches(err.user_message, "the login has expired: run `resthost login`")
  end)

  t.test("finds the endpoints of the issuer, and refuses another one", function()
    start()
    options.token_url, options.authorization_url = nil, nil
    options.issuer = "https://login.example"
    host = t.load { source = (source:gsub("OPTIONS", rest.json.encode(options))) }
    host:stub("GET", "https://login.example/.well-known/openid-configuration", {
      json = {
        issuer = "https://login.example", token_endpoint = token_url, authorization_endpoint = authorize_url,
      },
    })
    login = host:stub("POST", token_url, { json = { access_token = "token-1" } })
    authorize { iss = "https://eve.example" }
    t.matches(log_in().err, "the answer is of another issuer: 'https://eve.example'")
    authorize { iss = "https://login.example" }
    t.equal(log_in().err, "")
  end)
end)

t.describe("a refresh token that has expired", function()
  t.test("names the command", function()
    start()
    authorize()
    t.equal(log_in().err, "")
    host:advance(601)
    host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    local _, err = get()
    t.matches(err.user_message, "invalid_grant: log in again with `resthost login`")
  end)
end)

t.describe("a login on another device", function()
  local device_url = "https://login.example/device"
  local answer, asked

  local function device(fields)
    start { login = "device", device_url = device_url, authorization_url = nil, scope = "read" }
    local reply = {
      device_code = "device-code", user_code = "ABCD-EFGH", verification_uri = "https://login.example/go",
      expires_in = 600, interval = 5,
    }
    for name, value in pairs(fields or {}) do reply[name] = value end
    asked = host:stub("POST", device_url, { json = reply })
    answer = nil
    rest.spawn(function() answer = log_in() end)
    host:settle()
  end

  local function refuse(code)
    login = host:stub("POST", token_url, { status = 400, json = { error = code } })
  end

  t.test("asks until the person has decided, more slowly when the server wants it", function()
    device()
    t.equal(form(asked.requests[1]), { client_id = "me", scope = "read" })
    refuse "authorization_pending"
    host:advance(10)
    t.equal(#login.requests, 2)
    refuse "slow_down"
    host:advance(5)
    t.equal(#login.requests, 1)
    refuse "authorization_pending"
    host:advance(9)
    t.equal(#login.requests, 0)
    host:advance(1)
    t.equal(#login.requests, 1)
    t.equal(form(login.requests[1]).device_code, "device-code")
    login = host:stub("POST", token_url, { json = { access_token = "token-1", refresh_token = "refresh-1" } })
    host:advance(10)
    t.equal(answer.err, "")
    t.equal(answer.printed[1], "Open https://login.example/go in a browser, and enter the code ABCD-EFGH")
    t.assert(get())
  end)

  t.test("ends when the code has expired", function()
    device { expires_in = 30 }
    refuse "authorization_pending"
    host:advance(60)
    t.matches(answer.err, "took too long")
    t.equal(#login.requests, 5)
  end)

  t.test("ends when the person or the server refuses", function()
    for code, pattern in pairs {
      access_denied = "the login was refused", expired_token = "took too long",
      invalid_client = "invalid_client",
    } do
      device()
      refuse(code)
      host:advance(5)
      t.matches(answer.err, pattern)
      t.equal(#login.requests, 1)
    end
  end)

  t.test("does not ask all the time when the server says so", function()
    device { interval = 0, expires_in = 100 }
    refuse "authorization_pending"
    host:advance(200)
    t.matches(answer.err, "took too long")
    t.equal(#login.requests, 99)
  end)

  t.test("needs a code in the answer", function()
    device { user_code = 5 }
    t.matches(answer.err, "POST https://login.example/device gave no 'device_code'")
  end)
end)

t.describe("the file", function()
  t.test("of other options is not used", function()
    start()
    authorize()
    t.equal(log_in().err, "")
    start { client_id = "you" }
    local _, err = get()
    t.matches(err.user_message, "nobody has logged in yet")
  end)

  t.test("that holds something else is left alone", function()
    t.assert(rest.write_file(path, '{"a":1}'))
    start()
    authorize()
    t.matches(log_in().err, "does not hold tokens of this plugin")
    t.equal(rest.read_file(path), '{"a":1}')
  end)

  t.test("has no refresh token for client credentials, which need none", function()
    start()
    options.login, options.authorization_url, options.client_secret = nil, nil, "a secret"
    host = t.load { source = (source:gsub("OPTIONS", rest.json.encode(options))) }
    host:stub("*", "https://api.example/**", { json = {} })
    host:stub("POST", token_url, { json = { access_token = "token-1", refresh_token = "refresh-1" } })
    api = host.services.api
    t.assert(get())
    t.matches(rest.read_file(path), '"token":"token%-1"')
    t.equal(rest.read_file(path):find("refresh-1", 1, true), nil)
  end)

  t.test("keeps the refresh tokens that follow an option's", function()
    start()
    options.login, options.authorization_url, options.refresh_token = nil, nil, "seed-token"
    local text = source:gsub("OPTIONS", rest.json.encode(options))
    local function restart()
      host = t.load { source = text }
      host:stub("*", "https://api.example/**", { json = {} })
      login = host:stub("POST", token_url, {
        json = { access_token = "token-1", refresh_token = "refresh-2", expires_in = 1 },
      })
      api = host.services.api
    end
    restart()
    t.assert(get())
    t.equal(form(login.requests[1]).refresh_token, "seed-token")
    restart()
    host:advance(10)
    t.assert(get())
    t.equal(form(login.requests[1]).refresh_token, "refresh-2")
    text = text:gsub("seed%-token", "other-seed")
    restart()
    host:advance(20)
    t.assert(get())
    t.equal(form(login.requests[1]).refresh_token, "other-seed")
  end)
end)
