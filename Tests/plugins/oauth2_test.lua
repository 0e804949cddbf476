local t = require "resthost.test"
local rest = require "resthost"

local token_url = "https://login.example/token"
local host, api, stub, login, issued

-- Answers with the tokens t-000001, t-000002 and so on.
local function issue(fields)
  return function()
    issued = issued + 1
    local answer = { access_token = ("t-%06d"):format(issued), token_type = "Bearer", expires_in = 600 }
    for name, value in pairs(fields or {}) do answer[name] = value end
    for name, value in pairs(answer) do
      if value == rest.null then answer[name] = nil end
    end
    return { json = answer }
  end
end

local function start(options)
  host, issued = t.host(), 0
  api = host.rest.service { name = "api", base_url = "https://api.example/v1" }
  local all = { token_url = token_url, client_id = "me", client_secret = "a secret" }
  for name, value in pairs(options or {}) do all[name] = value end
  for name, value in pairs(all) do
    if value == rest.null then all[name] = nil end
  end
  stub = host:stub("*", "https://api.example/**", { json = {} })
  login = host:stub("POST", token_url, issue())
  api:use("oauth2", all)
end

local function get(path) return api:resource(path or "users"):load():await() end

local function form(number)
  local fields = {}
  for name, value in login.requests[number or #login.requests].body:gmatch "([^&=]+)=([^&]*)" do
    fields[rest.url.decode(name)] = rest.url.decode(value)
  end
  return fields
end

local function sent(number) return stub.requests[number or #stub.requests].headers.authorization end

-- An API that takes these tokens only.
local function accept(tokens)
  stub = host:stub("*", "https://api.example/**", function(request)
    local token = (request.headers.authorization or ""):match "^Bearer (.*)$"
    return tokens[token] and { json = {} } or { status = 401, json = {} }
  end)
end

t.describe("the first requests", function()
  t.test("wait for one token", function()
    start()
    local answer = { access_token = "t-000001", expires_in = 60 }
    login = host:stub("POST", token_url, { gated = true, json = answer })
    local requests = {}
    for number = 1, 50 do requests[number] = api:resource("users/" .. number):load() end
    requests[51] = api:resource("users"):request("POST", { json = { name = "Ada" } })
    host:settle()
    t.equal(#stub.requests, 0)
    requests[7]:cancel()
    login:go()
    for number, request in ipairs(requests) do
      if number ~= 7 then t.assert(request:await()) end
    end
    t.equal(#login.requests, 1)
    t.equal(#stub.requests, 50)
    for number = 1, 50 do t.equal(sent(number), "Bearer t-000001") end
    t.equal(stub.requests[50].body, '{"name":"Ada"}')
  end)

  t.test("are loads of their resources", function()
    start()
    stub = host:stub("GET", "https://api.example/v1/users", { json = { login = "ada" } })
    t.equal(t.assert(api:resource("users"):get()).login, "ada")
    t.equal(api:resource("users").latest_data.json.login, "ada")
    t.equal(api:resource("users").is_up_to_date, true)
  end)

  t.test("fail together when there is no token", function()
    start()
    login = host:stub("POST", token_url, { status = 503, gated = true, text = "busy" })
    local first, second = api:resource("a"):load(), api:resource("b"):load()
    host:settle()
    login:go()
    local _, err = first:await()
    t.matches(err.user_message, "POST https://login.example/token answered 503 with text/plain")
    _, err = second:await()
    t.matches(err.user_message, "answered 503")
    t.equal(#login.requests, 1)
    t.equal(#stub.requests, 0)
  end)

  t.test("fail with the same error within a second, then log in again", function()
    start()
    login = host:stub("POST", token_url, { status = 503, text = "busy" })
    for _ = 1, 5 do t.equal(get(), nil) end
    t.equal(#login.requests, 1)
    host:advance(1)
    login = host:stub("POST", token_url, issue())
    t.assert(get())
    t.equal(#login.requests, 1)
  end)

  t.test("are waited for when the first of them is cancelled", function()
    start()
    login = host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local first, second = api:resource("a"):load(), api:resource("b"):load()
    host:settle()
    first:cancel()
    login:go()
    t.assert(second:await())
    t.equal(#login.requests, 1)
  end)
end)

t.describe("a request that waits for the token", function()
  t.test("is under way, and its observers see nothing else", function()
    start()
    login = host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local users, events = api:resource("users"), {}
    users:add_observer(function(_, event) events[#events + 1] = event end)
    local request = users:load()
    host:settle()
    t.equal(users.is_loading, true)
    t.equal(users.is_requesting, true)
    t.equal(request.state, "in_progress")
    login:go()
    t.assert(request:await())
    host:settle()
    t.equal(events, { "observer_added", "requested", "new_data(network)" })
  end)

  t.test("ends with a wipe, and then never goes out", function()
    start()
    login = host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local request = api:resource("users"):load()
    host:settle()
    api:resource("users"):wipe()
    login:go()
    host:settle()
    t.equal(request.is_cancelled, true)
    t.equal(#stub.requests, 0)
  end)

  t.test("may be a stream, a file or an upload", function()
    host = t.load { source = [[
      local rest = require "resthost"
      local api = rest.service { name = "api", base_url = "https://api.example/v1" }
      api:configure("/events", function(c) c.stream = "events" end)
      api:configure("/body/**", function(c) c.stream = "body" end)
      api:use("oauth2", {
        token_url = "https://login.example/token", client_id = "me", client_secret = "a secret",
      })
      local gateway = rest.gateway {
        expose = { api = { methods = { "GET", "POST" } } }, limits = { body = 4, stream_body = 100000 },
      }
      gateway:route("GET", "/stream", function()
        local parts = {}
        local function add(chunk) parts[#parts + 1] = chunk end
        local entity, err = rest.stream(api:define("GET", "data"), add)
        return entity and { text = table.concat(parts) }, err
      end)
      gateway:route("GET", "/file", function()
        local path = "oauth2_test.tokens"
        local entity, err = api:resource("data"):request("GET", { to_file = path }):await()
        return entity and { text = rest.read_file(path) }, err
      end)
      gateway:route("GET", "/form", function()
        local form = { { name = "a", value = "b" } }
        local entity, err = api:resource("data"):request("POST", { multipart = form }):await()
        return entity and { text = entity.text }, err
      end)
      gateway:route("GET", "/events", function() return { text = api:resource("events"):get() } end)
    ]] }
    local number, tokens = 0, {}
    host:stub("POST", token_url, function()
      number = number + 1
      return { json = { access_token = "token-" .. number, expires_in = 60 } }
    end)
    host:stub("*", "https://api.example/v1/**", function(request)
      tokens[#tokens + 1] = request.headers.authorization
      if number == 1 then return { status = 401, json = {} } end
      if request.url:find "events" then
        return { headers = { ["Content-Type"] = "text/event-stream" }, body = "data: hello\n\n" }
      end
      if request.method == "POST" then return { text = request.body } end
      return { text = "hello" }
    end)
    -- The first token is refused: the stream comes from the repeat.
    t.equal(host:request("GET", "/stream").json.text, "hello")
    t.equal(tokens, { "Bearer token-1", "Bearer token-2" })
    for _, path in ipairs { "/stream", "/file", "/events" } do
      host:advance(61)
      t.equal(host:request("GET", path).json.text, "hello")
    end
    host:advance(61)
    t.matches(host:request("GET", "/form").json.text, 'name="a"')
    host:advance(61)
    t.equal(host:request("GET", "/api/body/x").body, "hello")
    host:advance(61)
    local headers = { ["Content-Type"] = "text/plain" }
    local answer = host:request("POST", "/api/up", { body = ("x"):rep(50), headers = headers })
    t.equal(answer.body, ("x"):rep(50))
    t.equal(number, 8)
    t.equal(#tokens, 8)
  end)
end)

t.describe("client credentials", function()
  t.test("are sent in Authorization, encoded as for forms", function()
    start { client_id = "me:1", client_secret = "a+b %", scope = "read write" }
    t.assert(get())
    t.equal(form(), { grant_type = "client_credentials", scope = "read write" })
    local basic = login.requests[1].headers.authorization
    t.equal(rest.base64.decode(basic:match "^Basic (.*)$"), "me%3A1:a%2Bb%20%25")
    t.equal(login.requests[1].headers.accept, "application/json")
  end)

  t.test("are sent in the body with further parameters", function()
    start { client_auth = "post", audience = "https://api.example", parameters = { tenant = "north" } }
    t.assert(get())
    t.equal(form(), {
      grant_type = "client_credentials", client_id = "me", client_secret = "a secret",
      audience = "https://api.example", tenant = "north",
    })
    t.equal(login.requests[1].headers.authorization, nil)
  end)

  t.test("may be a signed token", function()
    local keys = require "test_keys"
    local jwt = require "resthost.jwt"
    start {
      client_secret = rest.null, private_key = keys.p256.private, algorithm = "ES256", key_id = "k1",
    }
    t.assert(get())
    local fields = form()
    t.equal(fields.client_assertion_type, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    local claims = t.assert(jwt.verify(fields.client_assertion, {
      key = keys.p256.public, audience = token_url, issuer = "me", leeway = 300, required = { "jti", "exp" },
    }))
    t.equal(claims.sub, "me")
    t.matches(rest.base64.decode(fields.client_assertion:match "^[^.]+"), '"kid":"k1"')
    t.equal(fields.client_secret, nil)
  end)
end)

t.describe("a signed token of a client", function()
  local keys = require "test_keys"
  local signer = { client_secret = rest.null, private_key = keys.p256.private, algorithm = "ES256" }
  local refusal = { error = "invalid_client" }

  t.test("has the server's time when the clock is wrong, once known", function()
    start(signer)
    login = host:stub("POST", token_url, function(request)
      local body = rest.base64.decode(request.body:match "client_assertion=[^.]+%.([^.]+)")
      if rest.json.decode(body).iat < 1003500 then
        return { status = 401, json = refusal, headers = { Date = "Mon, 12 Jan 1970 14:46:40 GMT" } }
      end
      return { json = { access_token = "t-000001", expires_in = 10 } }
    end)
    t.assert(get())
    t.equal(#login.requests, 2)
    host:advance(11)
    t.assert(get())
    t.equal(#login.requests, 3)
  end)

  t.test("is not sent again when the clocks agree, or for other errors", function()
    for _, answer in ipairs {
      { status = 401, json = refusal, headers = { Date = "Mon, 12 Jan 1970 13:46:45 GMT" } },
      { status = 401, json = refusal }, { status = 401, json = refusal, headers = { Date = "now" } },
      { status = 503, text = "busy", headers = { Date = "Mon, 12 Jan 1970 14:46:40 GMT" } },
    } do
      start(signer)
      login = host:stub("POST", token_url, answer)
      t.equal(get(), nil)
      t.equal(#login.requests, 1)
    end
  end)
end)

t.describe("a token", function()
  t.test("is used until it is early", function()
    start()
    for _ = 1, 5 do t.assert(get()) end
    host:advance(569)
    t.assert(get())
    t.equal(#login.requests, 1)
    t.equal(sent(), "Bearer t-000001")
  end)

  t.test("is renewed before it expires, while requests go on with it", function()
    start()
    t.assert(get())
    host:advance(571)
    local answer = { access_token = "t-000002", expires_in = 600 }
    login = host:stub("POST", token_url, { gated = true, json = answer })
    t.assert(get "a")
    t.assert(get "b")
    t.equal(sent(), "Bearer t-000001")
    t.equal(#login.requests, 1)
    login:go()
    host:settle()
    t.assert(get())
    t.equal(sent(), "Bearer t-000002")
    t.equal(#login.requests, 1)
  end)

  t.test("is renewed before its second half at the earliest", function()
    start { renew_before = 600 }
    t.assert(get())
    host:advance(299)
    t.assert(get())
    t.equal(#login.requests, 1)
    host:advance(2)
    t.assert(get())
    t.equal(#login.requests, 2)
  end)

  t.test("that has expired is waited for", function()
    start()
    t.assert(get())
    host:advance(601)
    t.assert(get())
    t.equal(sent(), "Bearer t-000002")
    t.equal(#stub.requests, 2)
  end)

  t.test("stays in use when an early renewal fails, which is tried again after a second", function()
    start()
    t.assert(get())
    host:advance(580)
    login = host:stub("POST", token_url, { status = 500, text = "" })
    for _ = 1, 5 do t.assert(get()) end
    t.equal(#login.requests, 1)
    host:advance(2)
    t.assert(get())
    t.equal(#login.requests, 2)
    t.equal(sent(), "Bearer t-000001")
  end)

  t.test("without a lifetime is used until it is refused", function()
    start()
    login = host:stub("POST", token_url, issue { expires_in = rest.null })
    t.assert(get())
    host:advance(100000)
    t.assert(get())
    t.equal(#login.requests, 1)
    accept { ["t-000002"] = true }
    t.assert(get())
    t.equal(#login.requests, 2)
  end)

  t.test("does not outlive a clock that was set back", function()
    start()
    t.assert(get())
    host:clock(900000)
    t.assert(get())
    t.equal(#login.requests, 2)
  end)

  t.test("goes to the service's own origin only", function()
    start()
    local other = host:stub("*", "https://other.example/**", { json = {} })
    t.assert(api:resource_at("https://other.example/x"):load():await())
    t.equal(other.requests[1].headers.authorization, nil)
    t.equal(#login.requests, 0)
    host:stub("GET", "https://api.example/v1/moved", {
      status = 302, headers = { Location = "https://other.example/y" },
    })
    t.assert(get "moved")
    t.equal(#login.requests, 1)
    t.equal(other.requests[2].headers.authorization, nil)
  end)

  t.test("does not follow a request that an earlier block sends elsewhere", function()
    host, issued = t.host(), 0
    api = host.rest.service { name = "api", base_url = "https://api.example/v1" }
    login = host:stub("POST", token_url, issue())
    local other = host:stub("*", "https://other.example/**", { json = {} })
    api:configure("**", function(c)
      c:mutate_requests(function(draft) draft.url = "https://other.example/z" end)
    end)
    api:use("oauth2", { token_url = token_url, client_id = "me", client_secret = "a secret" })
    t.assert(get())
    t.equal(other.requests[1].headers.authorization, nil)
  end)

  t.test("leaves an Authorization of the script alone", function()
    start()
    t.assert(api:resource("users"):request("GET", { headers = { Authorization = "Bearer mine" } }):await())
    t.equal(sent(), "Bearer mine")
  end)

  t.test("is masked", function()
    start()
    login = host:stub("POST", token_url, { json = { access_token = "a-token-to-mask", expires_in = 60 } })
    t.assert(get())
    local err = host.rest.error { user_message = "the token is a-token-to-mask" }
    t.equal(tostring(err):find "a%-token%-to%-mask", nil)
  end)
end)

t.describe("a refused token", function()
  t.test("is renewed once for all requests, which are then repeated", function()
    start()
    t.assert(get())
    accept { ["t-000002"] = true }
    local requests = {}
    for number = 1, 20 do requests[number] = api:resource("users/" .. number):load() end
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#login.requests, 2)
    t.equal(#stub.requests, 40)
  end)

  t.test("that was renewed meanwhile costs no further login", function()
    start()
    t.assert(get())
    local slow = host:stub("GET", "https://api.example/v1/slow", { gated = true, status = 401, json = {} })
    local late = api:resource("slow"):load()
    host:settle()
    accept { ["t-000002"] = true }
    t.assert(get())
    t.equal(#login.requests, 2)
    accept { ["t-000002"] = true }
    slow:go()
    t.assert(late:await())
    t.equal(#login.requests, 2)
  end)

  t.test("is renewed once in five seconds when the API refuses all", function()
    start()
    accept {}
    local _, err = get()
    t.equal(err.http_status_code, 401)
    t.equal(#login.requests, 2)
    for number = 1, 10 do t.equal(get("users/" .. number), nil) end
    t.equal(#login.requests, 2)
    host:advance(6)
    t.equal(get "later", nil)
    t.equal(get "later", nil)
    t.equal(#login.requests, 3)
  end)

  t.test("keeps the error of a renewal that fails", function()
    start()
    t.assert(get())
    accept {}
    login = host:stub("POST", token_url, { status = 401, json = { error = "invalid_client" } })
    local _, err = get()
    t.matches(err.user_message, "POST https://login.example/token answered 401: invalid_client")
    t.equal(#login.requests, 1)
  end)

  t.test("is renewed beside retries of other failures", function()
    start()
    t.assert(get())
    api:configure("**", function(c) c.retry = { attempts = 3 } end)
    local answers = { { status = 503 }, { status = 401 }, { status = 503 }, { json = { login = "ada" } } }
    stub = host:stub("GET", "https://api.example/**", function() return table.remove(answers, 1) end)
    local request = api:resource("retried"):load()
    host:advance(10)
    t.equal(t.assert(request:await()).json.login, "ada")
    t.equal(#login.requests, 2)
    t.equal(sent(), "Bearer t-000002")
  end)
end)

t.describe("a refresh token", function()
  t.test("gets tokens, and is replaced by the one that follows", function()
    start { refresh_token = "refresh-1", client_secret = rest.null }
    login = host:stub("POST", token_url, issue { refresh_token = "refresh-2" })
    t.assert(get())
    t.equal(form(), { grant_type = "refresh_token", refresh_token = "refresh-1", client_id = "me" })
    host:advance(601)
    t.assert(get())
    t.equal(form().refresh_token, "refresh-2")
  end)

  t.test("stays when none follows", function()
    start { refresh_token = "refresh-1" }
    t.assert(get())
    host:advance(601)
    t.assert(get())
    t.equal(form(2).refresh_token, "refresh-1")
  end)

  t.test("that has expired is an error that says so", function()
    start { refresh_token = "refresh-1" }
    login = host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    local _, err = get()
    t.matches(err.user_message, "token answered 400: invalid_grant: the refresh token has expired")
  end)

  t.test("of each partition gives it a token of its own", function()
    start {
      refresh_token = function(partition)
        if partition == "eve" then return nil, "eve has no token" end
        return "refresh-of-" .. tostring(partition)
      end,
    }
    login = host:stub("POST", token_url, function(request)
      local name = request.body:match "refresh%-of%-(%w+)"
      local refresh_token = "next-of-" .. name
      return { json = { access_token = "token-of-" .. name, refresh_token = refresh_token, expires_in = 60 } }
    end)
    local requests = {}
    for _, name in ipairs { "ada", "bob", "ada", "bob" } do
      requests[#requests + 1] = api:resource("x" .. #requests, { partition = name }):load()
    end
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#login.requests, 2)
    for _, request in ipairs(stub.requests) do
      local is_ada = request.url:find "[02]$" ~= nil
      t.equal(request.headers.authorization, "Bearer token-of-" .. (is_ada and "ada" or "bob"))
    end
    local _, err = api:resource("x", { partition = "eve" }):load():await()
    t.matches(err.user_message, "eve has no token")
  end)

  t.test("that a function replaces goes before the one that followed", function()
    local given = "refresh-1"
    start { refresh_token = function() return given end }
    login = host:stub("POST", token_url, issue { refresh_token = "refresh-2" })
    t.assert(get())
    given = "refresh-9"
    host:advance(601)
    t.assert(get())
    t.equal(form().refresh_token, "refresh-9")
    host:advance(601)
    t.assert(get())
    t.equal(form().refresh_token, "refresh-2")
  end)
end)

t.describe("several services", function()
  local function further(options)
    local all = { token_url = token_url, client_id = "me", client_secret = "a secret" }
    for name, value in pairs(options) do all[name] = value end
    local service = host.rest.service { base_url = "https://other.example" }
    service:use("oauth2", all)
    host:stub("GET", "https://other.example/**", { json = {} })
    t.assert(service:resource("x"):load():await())
  end

  t.test("with the same options share a token", function()
    start()
    t.assert(get())
    further {}
    t.equal(#login.requests, 1)
  end)

  t.test("with another account, secret or scope have tokens of their own", function()
    for _, options in ipairs {
      { client_secret = "another" }, { scope = "read" }, { refresh_token = "refresh-9" },
      { subject_token = function() return "subject" end }, { parameters = { tenant = "a" } },
    } do
      start()
      t.assert(get())
      further(options)
      t.equal(#login.requests, 2)
    end
  end)
end)

t.describe("token exchange", function()
  t.test("sends the subject and the actor", function()
    start {
      subject_token = "subject", actor_token = "actor-token", audience = "shop",
      requested_token_type = "urn:ietf:params:oauth:token-type:access_token",
    }
    t.assert(get())
    t.equal(form(), {
      grant_type = "urn:ietf:params:oauth:grant-type:token-exchange", audience = "shop",
      subject_token = "subject", subject_token_type = "urn:ietf:params:oauth:token-type:access_token",
      actor_token = "actor-token", actor_token_type = "urn:ietf:params:oauth:token-type:access_token",
      requested_token_type = "urn:ietf:params:oauth:token-type:access_token",
    })
  end)
end)

t.describe("discovery", function()
  local issuer = "https://id.example/tenant"

  local function start_at(document)
    start { issuer = issuer, token_url = rest.null }
    return host:stub("GET", issuer .. "/.well-known/openid-configuration", document)
  end

  t.test("finds the token endpoint, once", function()
    local found = start_at { json = { issuer = issuer, token_endpoint = token_url } }
    t.assert(get())
    host:advance(601)
    t.assert(get())
    t.equal(#login.requests, 2)
    t.equal(#found.requests, 1)
  end)

  t.test("looks for the document of OAuth when there is none of OpenID", function()
    start_at { status = 404, text = "no" }
    host:stub("GET", "https://id.example/.well-known/oauth-authorization-server/tenant", {
      json = { issuer = issuer, token_endpoint = token_url },
    })
    t.assert(get())
  end)

  t.test("looks nowhere else when the server is busy", function()
    start_at { status = 503, text = "busy" }
    local _, err = get()
    t.matches(err.user_message, "configuration answered 503 with [^%s]+ charset=utf.8, not with JSON$")
  end)

  t.test("refuses the document of another issuer", function()
    start_at { json = { issuer = issuer .. "/", token_endpoint = token_url } }
    local _, err = get()
    t.matches(err.user_message, "openid.configuration is of the issuer 'https://id.example/tenant/', not of")
    t.equal(#login.requests, 0)
  end)

  t.test("refuses an endpoint without https", function()
    start_at { json = { issuer = issuer, token_endpoint = "http://login.example/token" } }
    local _, err = get()
    t.matches(err.user_message, "'token_endpoint' that is no https URL")
  end)

  t.test("says what it tried", function()
    start_at { status = 404, text = "no" }
    host:stub("GET", "https://id.example/.well-known/oauth-authorization-server/tenant", { text = "<html>" })
    local _, err = get()
    t.matches(err.user_message, "configuration answered 404.*/tenant answered with text/plain")
  end)

  t.test("that finds no endpoint names the option", function()
    start_at { json = { issuer = issuer } }
    local _, err = get()
    t.matches(err.user_message, "names no 'token_endpoint': give option 'token_url'")
  end)
end)

t.describe("a bad answer of the token endpoint", function()
  local function fails(answer, pattern)
    start()
    host:stub("POST", token_url, answer)
    local _, err = get()
    t.matches(err.user_message, "POST https://login.example/token")
    t.matches(err.user_message, pattern)
    t.equal(#stub.requests, 0)
  end

  t.test("is HTML", function()
    local html = { headers = { ["Content-Type"] = "text/html" }, body = "<html>" }
    fails(html, "answered with text/html, not with a JSON object")
    html.status = 500
    fails(html, "answered 500 with text/html, not with JSON")
    fails({ status = 302, headers = { Location = "https://login.example/" } }, "302, a redirect to")
    fails({ json = { 1, 2 } }, "not with a JSON object")
  end)

  t.test("is an error", function()
    local refusal = { error = "invalid_scope", error_description = "no such\nscope" }
    fails({ status = 400, json = refusal }, "answered 400: invalid_scope %(no such scope%)")
    fails({ json = refusal }, "refused: invalid_scope %(no such scope%)")
  end)

  t.test("has no token that can be sent", function()
    fails({ json = { token_type = "Bearer" } }, "gave no 'access_token'")
    fails({ json = { access_token = 5 } }, "can't be sent in a header")
    fails({ json = { access_token = "a\r\nX: y" } }, "can't be sent in a header")
    fails({ json = { access_token = "" } }, "can't be sent in a header")
    fails({ json = { access_token = ("a"):rep(70000) } }, "can't be sent in a header")
    fails({ json = { access_token = "a", token_type = "DPoP" } }, "type 'DPoP', but only Bearer")
    fails({ json = { access_token = "a", token_type = rest.json.array {} } }, "but only Bearer")
  end)

  t.test("has a lifetime that makes no sense", function()
    fails({ json = { access_token = "a", expires_in = "soon" } }, "'expires_in' that is not a number: 'soon'")
    fails({ json = { access_token = "a", expires_in = true } }, "not a number: 'true'")
    fails({ json = { access_token = "a", expires_in = -5 } }, "expired already: its 'expires_in' is %-5")
    fails({ json = { access_token = "a", expires_in = 0 } }, "expired already")
  end)

  t.test("is none", function()
    fails({ error = { type = "connection_failed" } }, "Connection failed")
    fails({ error = { type = "timeout" } }, "[Tt]ime")
  end)

  t.test("may have the lifetime as text, and a type in other letters", function()
    start()
    login = host:stub("POST", token_url, issue { expires_in = "600", token_type = "bEARER" })
    t.assert(get())
    host:advance(601)
    t.assert(get())
    t.equal(#login.requests, 2)
  end)
end)

t.describe("a mistake of the script", function()
  t.test("is an error that names it", function()
    local null = rest.null
    t.raises(function() start { token_url = null } end, "either 'issuer' or 'token_url'")
    t.raises(function() start { issuer = "https://id.example" } end, "either 'issuer' or 'token_url'")
    t.raises(function() start { token_url = "login" } end, "'token_url' has to be an https URL, not 'login'")
    t.raises(function() start { token_url = "https://a:b@login.example" } end, "can't have a user")
    t.raises(function() start { client_secret = null } end, "needs 'client_secret' or 'private_key'")
    t.raises(function() start { private_key = "x" } end, "either 'client_secret' or 'private_key'")
    t.raises(function() start { login = "code" } end, "needs 'file'")
    t.raises(function() start { refresh_token = "a", subject_token = "b" } end, "takes one of")
    t.raises(function() start { parameters = { a = 1 } } end, "has texts by name")
    t.raises(function() start { client_secrt = "x" } end, "did you mean 'client_secret'")
    t.raises(function() start { client_auth = "header" } end, "bad option 'client_auth'")
    local without = t.host().rest.service { name = "none" }
    t.raises(function()
      without:use("oauth2", { token_url = token_url, client_id = "me", client_secret = "secret" })
    end, "needs a service with a 'base_url'")
  end)
end)
