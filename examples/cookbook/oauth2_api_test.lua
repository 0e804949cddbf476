local t = require "resthost.test"

local host, logins, reports

t.before_each(function()
  host = t.load "oauth2_api.lua"
  logins = host:stub("POST", "http://127.0.0.1:8082/token", function()
    return { json = { access_token = "token-" .. #logins.requests, token_type = "Bearer", expires_in = 600 } }
  end)
  reports = host:stub("GET", "http://127.0.0.1:8081/reports/*", { json = { ok = true } })
end)

local function ask(name) return host:request("GET", "/api/reports/" .. name) end

t.test("one login is enough for several requests", function()
  for _, name in ipairs { "a", "b", "c" } do t.equal(ask(name).status, 200) end
  t.equal(#logins.requests, 1)
  t.equal(reports.requests[3].headers.authorization, "Bearer token-1")
  local body = logins.requests[1].body
  t.matches(body, "grant_type=client_credentials")
  t.matches(body, "scope=reports%%3Aread")
end)

t.test("a token that has ended is replaced", function()
  ask "a"
  host:advance(700)
  ask "b"
  t.equal(#logins.requests, 2)
  t.equal(reports.requests[#reports.requests].headers.authorization, "Bearer token-2")
end)

t.test("a token that the API refuses is replaced once", function()
  reports = host:stub("GET", "http://127.0.0.1:8081/reports/*", function(request)
    return request.headers.authorization == "Bearer token-1" and { status = 401 } or { json = { ok = true } }
  end)
  t.equal(ask("a").status, 200)
  t.equal(#logins.requests, 2)
end)

t.test("the token server's refusal is an error", function()
  host:stub("POST", "http://127.0.0.1:8082/token", { status = 401, json = { error = "invalid_client" } })
  t.equal(ask("a").status >= 400, true)
  t.equal(#reports.requests, 0)
end)
