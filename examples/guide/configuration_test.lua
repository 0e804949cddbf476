-- Tests of the configuration scripts: resthost test examples/guide
local t = require "resthost.test"

local api = "http://127.0.0.1:8081"

t.test("global_header: the version goes everywhere, the secret to the API alone", function()
  local host = t.load "global_header.lua"
  local service = host.services.global_header
  local own = host:stub("GET", api .. "/users/ada", { json = {} })
  local other = host:stub("GET", "https://elsewhere.test/x", { json = {} })
  t.assert(service:resource("/users/ada"):get())
  t.assert(service:resource_at("https://elsewhere.test/x"):get())
  t.equal(own.requests[1].headers["X-App-Version"], "7.1")
  t.equal(own.requests[1].headers["X-App-Secret"], "2g3h4bkv234")
  t.equal(other.requests[1].headers["X-App-Version"], "7.1")
  t.equal(other.requests[1].headers["X-App-Secret"], nil)
end)

t.test("knobs: a knob is stale at once, at any depth", function()
  local host = t.load "knobs.lua"
  local service = host.services.knobs
  host:stub("GET", api .. "/**", { json = { position = 7 } })
  for _, path in ipairs { "/knob", "/rooms/kitchen/knob" } do
    local knob = service:resource(path)
    t.assert(knob:get())
    host:advance(0.001)
    t.equal(knob.is_up_to_date, false)
  end
  local room = service:resource("/rooms/kitchen")
  t.assert(room:get())
  host:advance(60)
  t.assert(room.is_up_to_date)
end)

t.test("predicate: all but the login page", function()
  local host = t.load "predicate.lua"
  local service = host.services.predicate
  t.equal(service:resource("/users/ada").configuration.headers["X-Key"], "k")
  t.equal(service:resource("/-/login").configuration.headers["X-Key"], nil)
end)

t.test("changing_token: a new token counts from its arrival on", function()
  local host = t.load "changing_token.lua"
  local service = host.services.changing_token
  local notes, session = service:resource("/private/notes"), service:resource("/-/login")
  t.equal(notes.configuration.headers["Authorization"], nil)
  session:override_local_content { token = "one" }
  t.equal(notes.configuration.headers["Authorization"], "Bearer one")
  session:override_local_content { token = "two" }
  t.equal(notes.configuration.headers["Authorization"], "Bearer two")
end)

t.test("login_on_401: every request says so, others don't", function()
  local host = t.load "login_on_401.lua"
  local service = host.services.login_on_401
  host:stub("GET", api .. "/private/**", { status = 401 })
  local _, err = service:resource("/private/notes"):get()
  t.equal(err.http_status_code, 401)
  t.equal(err.user_message, "Unauthorized")
end)

t.describe("token refresh", function()
  for _, name in ipairs { "token_refresh", "token_refresh_by_hand" } do
    local function server()
      local host = t.load(name .. ".lua")
      local valid, logins = "valid", 0
      host:stub("GET", api .. "/private/**", function(request)
        local given = request.headers["Authorization"]
        return given == "Bearer " .. valid and { json = { "note" } } or { status = 401 }
      end)
      local login = host:stub("POST", api .. "/-/login", function()
        logins = logins + 1
        return { json = { token = valid, expires_in = 60 } }
      end)
      return host, host.services[name], function() return logins end, login
    end

    t.test(name .. ": the caller gets the data", function()
      local host, service, logins = server()
      t.equal(t.assert(service:resource("/private/notes"):get()), { "note" })
      t.equal(logins(), 1)
      t.assert(service:resource("/private/others"):get())
      t.equal(logins(), 1)
    end)

    t.test(name .. ": a login that fails fails the request", function()
      local host, service = server()
      host:stub("POST", api .. "/-/login", { status = 503 })
      local content, err = service:resource("/private/notes"):get()
      t.equal(content, nil)
      t.assert(err)
    end)
  end

  t.test("token_refresh: five requests together log in once", function()
    local host = t.load "token_refresh.lua"
    local logins = 0
    host:stub("GET", api .. "/private/**", function(request)
      return request.headers["Authorization"] == "Bearer new" and { json = {} } or { status = 401 }
    end)
    host:stub("POST", api .. "/-/login", function()
      logins = logins + 1
      return { json = { token = "new" }, delay = 2 }
    end)
    local requests = {}
    for i = 1, 5 do requests[i] = host.services.token_refresh:resource("/private/" .. i):load() end
    host:advance(10)
    for i = 1, 5 do t.assert(requests[i]:await()) end
    t.equal(logins, 1)
  end)
end)

t.test("defined_requests: what each of them sends", function()
  local host = t.load {
    source = [[
      local rest = require "resthost"
      local define = require("defined_requests").requests
      rest.spawn(function()
        for _, definition in ipairs {
          define.all, define.first_page, define.find("Ada", { "x", "y" }), define.one("a/b"), define.repos("ada", 2),
          define.add { name = "Ada" },
        } do
          definition:send():await()
        end
      end)
    ]],
  }
  local get = host:stub("GET", api .. "/users**", { json = {} })
  local post = host:stub("POST", api .. "/users", { status = 201 })
  host:settle()
  local urls = {}
  for i, request in ipairs(get.requests) do urls[i] = request.url end
  t.equal(urls, {
    api .. "/users?v=2", api .. "/users?v=2&page=1", api .. "/users?v=2&name=Ada&tag=x&tag=y",
    api .. "/users/a%2Fb?v=2", api .. "/users/ada/repos?v=2&page=2",
  })
  t.equal(get.requests[1].headers["Authorization"], "Basic secret")
  t.equal(get.requests[2].headers["Authorization"], "Bearer token")
  t.equal(post.requests[1].body, '{"name":"Ada"}')
end)
