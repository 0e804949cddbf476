local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2"

local token_url = f.token_url

t.describe("the first requests", function()
  t.test("wait for one token", function()
    f.start()
    local answer = { access_token = "t-000001", expires_in = 60 }
    f.login = f.host:stub("POST", token_url, { gated = true, json = answer })
    local requests = {}
    for number = 1, 50 do requests[number] = f.api:resource("users/" .. number):load() end
    requests[51] = f.api:resource("users"):request("POST", { json = { name = "Ada" } })
    f.host:settle()
    t.equal(#f.stub.requests, 0)
    requests[7]:cancel()
    f.login:go()
    for number, request in ipairs(requests) do
      if number ~= 7 then t.assert(request:await()) end
    end
    t.equal(#f.login.requests, 1)
    t.equal(#f.stub.requests, 50)
    for number = 1, 50 do t.equal(f.sent(number), "Bearer t-000001") end
    t.equal(f.stub.requests[50].body, '{"name":"Ada"}')
  end)

  t.test("are loads of their resources", function()
    f.start()
    f.stub = f.host:stub("GET", "https://api.example/v1/users", { json = { login = "ada" } })
    t.equal(t.assert(f.api:resource("users"):get()).login, "ada")
    t.equal(f.api:resource("users").latest_data.json.login, "ada")
    t.equal(f.api:resource("users").is_up_to_date, true)
  end)

  t.test("fail together when there is no token", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { status = 503, gated = true, text = "busy" })
    local first, second = f.api:resource("a"):load(), f.api:resource("b"):load()
    f.host:settle()
    f.login:go()
    local _, err = first:await()
    t.matches(err.user_message, "POST https://login.example/token answered 503 with text/plain")
    _, err = second:await()
    t.matches(err.user_message, "answered 503")
    t.equal(#f.login.requests, 1)
    t.equal(#f.stub.requests, 0)
  end)

  t.test("leave old data to the script when there is no token", function()
    f.start()
    f.api:configure("**", function(c) c.expiration_time, c.stale_if_error = 10, 3600 end)
    f.stub = f.host:stub("*", "https://api.example/**", { json = { n = 1 } })
    local users = f.api:resource "users"
    t.equal(t.assert(users:get()), { n = 1 })
    f.host:advance(700)
    t.equal(users:get { only_if_cached = true }, { n = 1 })
    t.equal(#f.login.requests, 1)
    f.login = f.host:stub("POST", token_url, { status = 503 })
    t.equal(t.assert(users:get()), { n = 1 })
    t.matches(tostring(users.latest_error), "POST https://login.example/token answered 503")
    t.equal({ #f.login.requests, #f.stub.requests }, { 1, 1 })
  end)

  t.test("with a breaker log in once it lets one through", function()
    f.start()
    f.api:configure("**", function(c)
      c.breaker, c.retry = { requests = 2, ratio = 0.5, window = 100, open = 30 }, false
    end)
    t.assert(f.get())
    f.stub = f.host:stub("*", "https://api.example/**", { status = 503 })
    for number = 1, 4 do f.get("users/" .. number) end
    f.host:advance(25)
    local _, err = f.get "held"
    t.equal(err.cause.type, "circuit_open")
    f.host:advance(600)
    f.accept { ["t-000002"] = true }
    t.assert(f.get "again")
    t.equal(#f.login.requests, 2)
  end)

  t.test("fail with the same error within a second, then log in again", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { status = 503, text = "busy" })
    for _ = 1, 5 do t.equal(f.get(), nil) end
    t.equal(#f.login.requests, 1)
    f.host:advance(1)
    f.login = f.host:stub("POST", token_url, f.issue())
    t.assert(f.get())
    t.equal(#f.login.requests, 1)
  end)

  t.test("are waited for when the first of them is cancelled", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local first, second = f.api:resource("a"):load(), f.api:resource("b"):load()
    f.host:settle()
    first:cancel()
    f.login:go()
    t.assert(second:await())
    t.equal(#f.login.requests, 1)
  end)
end)

t.describe("a request that waits for the token", function()
  t.test("is under way, and its observers see nothing else", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local users, events = f.api:resource("users"), {}
    users:add_observer(function(_, event) events[#events + 1] = event end)
    local request = users:load()
    f.host:settle()
    t.equal(users.is_loading, true)
    t.equal(users.is_requesting, true)
    t.equal(request.state, "in_progress")
    f.login:go()
    t.assert(request:await())
    f.host:settle()
    t.equal(events, { "observer_added", "requested", "new_data(network)" })
  end)

  t.test("takes the token of a script that a reload replaced in the middle of its renewal", function()
    f.start { store = "token", refresh_token = "used only once" }
    local store = f.host.rest.store
    store:set("token\0renewal", true, { ttl = 60 })
    local request = f.api:resource("users"):load()
    f.host:advance(5)
    t.equal(request.state, "in_progress")
    store:set("token", { token = "t-of-before", lifetime = 600, obtained = f.host.rest.now() })
    store:delete "token\0renewal"
    f.host:advance(1)
    t.assert(request:await())
    t.equal({ f.sent(), #f.login.requests }, { "Bearer t-of-before", 0 })
  end)

  t.test("logs in when that script has never ended its renewal", function()
    f.start { store = "token" }
    f.host.rest.store:set("token\0renewal", true, { ttl = 20 })
    local request = f.api:resource("users"):load()
    f.host:advance(21)
    t.assert(request:await())
    t.equal({ f.sent(), #f.login.requests }, { "Bearer t-000001", 1 })
  end)

  t.test("ends with a wipe, and then never goes out", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { gated = true, json = { access_token = "t-000001" } })
    local request = f.api:resource("users"):load()
    f.host:settle()
    f.api:resource("users"):wipe()
    f.login:go()
    f.host:settle()
    t.equal(request.is_cancelled, true)
    t.equal(#f.stub.requests, 0)
  end)

  t.test("may get another method from a block", function()
    f.start()
    f.api:configure("**", { methods = "PUT" }, function(c)
      c:mutate_requests(function(draft) draft.method = "POST" end)
    end)
    t.assert(f.api:resource("users"):request("PUT", { text = "x" }):await())
    t.equal(f.stub.requests[1].method, "POST")
    t.equal(f.sent(), "Bearer t-000001")
  end)

  t.test("may be a stream, a file or an upload", function()
    f.host = t.load { source = [[
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
    f.host:stub("POST", token_url, function()
      number = number + 1
      return { json = { access_token = "token-" .. number, expires_in = 60 } }
    end)
    f.host:stub("*", "https://api.example/v1/**", function(request)
      tokens[#tokens + 1] = request.headers.authorization
      if number == 1 then return { status = 401, json = {} } end
      if request.url:find "events" then
        return { headers = { ["Content-Type"] = "text/event-stream" }, body = "data: hello\n\n" }
      end
      if request.method == "POST" then return { text = request.body } end
      return { text = "hello" }
    end)
    -- The first token is refused: the stream comes from the repeat.
    t.equal(f.host:request("GET", "/stream").json.text, "hello")
    t.equal(tokens, { "Bearer token-1", "Bearer token-2" })
    for _, path in ipairs { "/stream", "/file", "/events" } do
      f.host:advance(61)
      t.equal(f.host:request("GET", path).json.text, "hello")
    end
    f.host:advance(61)
    t.matches(f.host:request("GET", "/form").json.text, 'name="a"')
    f.host:advance(61)
    t.equal(f.host:request("GET", "/api/body/x").body, "hello")
    f.host:advance(61)
    local headers = { ["Content-Type"] = "text/plain" }
    local answer = f.host:request("POST", "/api/up", { body = ("x"):rep(50), headers = headers })
    t.equal(answer.body, ("x"):rep(50))
    t.equal(number, 8)
    t.equal(#tokens, 8)
  end)
end)
