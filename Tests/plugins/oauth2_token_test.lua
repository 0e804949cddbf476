local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2"

local token_url = f.token_url

t.describe("a token", function()
  t.test("is used until it is early", function()
    f.start()
    for _ = 1, 5 do t.assert(f.get()) end
    f.host:advance(569)
    t.assert(f.get())
    t.equal(#f.login.requests, 1)
    t.equal(f.sent(), "Bearer t-000001")
  end)

  t.test("is renewed before it expires, while requests go on with it", function()
    f.start()
    t.assert(f.get())
    f.host:advance(571)
    local answer = { access_token = "t-000002", expires_in = 600 }
    f.login = f.host:stub("POST", token_url, { gated = true, json = answer })
    t.assert(f.get "a")
    t.assert(f.get "b")
    t.equal(f.sent(), "Bearer t-000001")
    t.equal(#f.login.requests, 1)
    f.login:go()
    f.host:settle()
    t.assert(f.get())
    t.equal(f.sent(), "Bearer t-000002")
    t.equal(#f.login.requests, 1)
  end)

  t.test("is renewed before its second half at the earliest", function()
    f.start { renew_before = 600 }
    t.assert(f.get())
    f.host:advance(299)
    t.assert(f.get())
    t.equal(#f.login.requests, 1)
    f.host:advance(2)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
  end)

  t.test("that has expired is waited for", function()
    f.start()
    t.assert(f.get())
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.sent(), "Bearer t-000002")
    t.equal(#f.stub.requests, 2)
  end)

  t.test("stays in use when an early renewal fails, which is tried again after a second", function()
    f.start()
    t.assert(f.get())
    f.host:advance(580)
    f.login = f.host:stub("POST", token_url, { status = 500, text = "" })
    for _ = 1, 5 do t.assert(f.get()) end
    t.equal(#f.login.requests, 1)
    f.host:advance(2)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
    t.equal(f.sent(), "Bearer t-000001")
  end)

  t.test("without a lifetime is used until it is refused", function()
    f.start()
    f.login = f.host:stub("POST", token_url, f.issue { expires_in = rest.null })
    t.assert(f.get())
    f.host:advance(100000)
    t.assert(f.get())
    t.equal(#f.login.requests, 1)
    f.accept { ["t-000002"] = true }
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
  end)

  t.test("does not outlive a clock that was set back", function()
    f.start()
    t.assert(f.get())
    f.host:clock(900000)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
  end)

  t.test("goes to the service's own origin only", function()
    f.start()
    local other = f.host:stub("*", "https://other.example/**", { json = {} })
    t.assert(f.api:resource_at("https://other.example/x"):load():await())
    t.equal(other.requests[1].headers.authorization, nil)
    t.equal(#f.login.requests, 0)
    f.host:stub("GET", "https://api.example/v1/moved", {
      status = 302, headers = { Location = "https://other.example/y" },
    })
    t.assert(f.get "moved")
    t.equal(#f.login.requests, 1)
    t.equal(other.requests[2].headers.authorization, nil)
  end)

  t.test("does not follow a request that an earlier block sends elsewhere", function()
    f.host, issued = t.host(), 0
    f.api = f.host.rest.service { name = "api", base_url = "https://api.example/v1" }
    f.login = f.host:stub("POST", token_url, f.issue())
    local other = f.host:stub("*", "https://other.example/**", { json = {} })
    f.api:configure("**", function(c)
      c:mutate_requests(function(draft) draft.url = "https://other.example/z" end)
    end)
    f.api:use("oauth2", { token_url = token_url, client_id = "me", client_secret = "a secret" })
    t.assert(f.get())
    t.equal(other.requests[1].headers.authorization, nil)
    t.equal(#f.login.requests, 0)
  end)

  t.test("leaves an Authorization of the script alone, and also its 401", function()
    f.start()
    local function ask()
      return f.api:resource("users"):request("GET", { headers = { Authorization = "Bearer mine" } }):await()
    end
    t.assert(ask())
    t.equal(f.sent(), "Bearer mine")
    f.accept {}
    local _, err = ask()
    t.equal(err.http_status_code, 401)
    t.equal({ #f.stub.requests, #f.login.requests }, { 1, 0 })
    f.accept { ["t-000001"] = true }
    t.assert(f.get())
    t.equal({ select(2, ask()).http_status_code, #f.login.requests }, { 401, 1 })
  end)

  t.test("is masked", function()
    f.start()
    f.login = f.host:stub("POST", token_url, { json = { access_token = "a-token-to-mask", expires_in = 60 } })
    t.assert(f.get())
    local err = f.host.rest.error { user_message = "the token is a-token-to-mask" }
    t.equal(tostring(err):find "a%-token%-to%-mask", nil)
  end)
end)

t.describe("a stream of events", function()
  t.test("connects again with the token of that time", function()
    f.start()
    f.api:configure("/events", function(c) c.stream = "events" end)
    local headers, tokens = { ["Content-Type"] = "text/event-stream" }, {}
    f.host:stub("GET", "https://api.example/v1/events", function(request)
      tokens[#tokens + 1] = request.headers.authorization
      return { headers = headers, body = "retry: 400000\ndata: hello\n\n" }
    end)
    local events = f.api:resource("events"):add_observer(function() end)
    t.equal(t.assert(events:get()), "hello")
    f.host:advance(850)
    t.equal(tokens, { "Bearer t-000001", "Bearer t-000001", "Bearer t-000002" })
    t.equal(#f.login.requests, 2)
  end)
end)

t.describe("a refused token", function()
  t.test("is renewed once for all requests, which are then repeated", function()
    f.start()
    t.assert(f.get())
    f.accept { ["t-000002"] = true }
    local requests = {}
    for number = 1, 20 do requests[number] = f.api:resource("users/" .. number):load() end
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#f.login.requests, 2)
    t.equal(#f.stub.requests, 40)
  end)

  t.test("that was renewed meanwhile costs no further login", function()
    f.start()
    t.assert(f.get())
    local slow = f.host:stub("GET", "https://api.example/v1/slow", { gated = true, status = 401, json = {} })
    local late = f.api:resource("slow"):load()
    f.host:settle()
    f.accept { ["t-000002"] = true }
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
    f.accept { ["t-000002"] = true }
    slow:go()
    t.assert(late:await())
    t.equal(#f.login.requests, 2)
  end)

  t.test("is renewed once in five seconds when the API refuses all", function()
    f.start()
    f.accept {}
    local _, err = f.get()
    t.equal(err.http_status_code, 401)
    t.equal(#f.login.requests, 2)
    for number = 1, 10 do t.equal(f.get("users/" .. number), nil) end
    t.equal(#f.login.requests, 2)
    f.host:advance(6)
    t.equal(f.get "later", nil)
    t.equal(f.get "later", nil)
    t.equal(#f.login.requests, 3)
  end)

  t.test("that lives for two seconds is renewed after one", function()
    f.start { renew_before = 0.1 }
    f.login = f.host:stub("POST", f.token_url, f.issue { expires_in = 2 })
    f.accept {}
    t.equal(f.get(), nil)
    t.equal(f.get(), nil)
    t.equal(#f.login.requests, 2)
    f.host:advance(1.01)
    f.accept { ["t-000003"] = true }
    t.assert(f.get())
    t.equal(#f.login.requests, 3)
  end)

  t.test("keeps the error of a renewal that fails", function()
    f.start()
    t.assert(f.get())
    f.accept {}
    f.login = f.host:stub("POST", token_url, { status = 401, json = { error = "invalid_client" } })
    local _, err = f.get()
    t.matches(err.user_message, "POST https://login.example/token answered 401: invalid_client")
    t.equal(#f.login.requests, 1)
  end)

  t.test("is renewed beside retries of other failures", function()
    f.start()
    t.assert(f.get())
    f.api:configure("**", function(c) c.retry = { attempts = 3 } end)
    local answers = { { status = 503 }, { status = 401 }, { status = 503 }, { json = { login = "ada" } } }
    f.stub = f.host:stub("GET", "https://api.example/**", function() return table.remove(answers, 1) end)
    local request = f.api:resource("retried"):load()
    f.host:advance(10)
    t.equal(t.assert(request:await()).json.login, "ada")
    t.equal(#f.login.requests, 2)
    t.equal(f.sent(), "Bearer t-000002")
  end)
end)
