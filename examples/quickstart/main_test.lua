-- Tests of main.lua, without the fixtures' server: resthost test
local t = require "resthost.test"

local host, api

t.before_each(function()
  host = t.load "main.lua"
  api = host.services.api
  host:stub("POST", "/-/login", { json = { token = "first", expires_in = 60 } })
end)

t.test("users are cut down to what a page shows", function()
  host:stub("GET", "/users/*", {
    json = { login = "hubot", name = "Hubot", company = "Tidepool", created_at = "2015-11-20T09:00:00Z", id = 1002 },
  })
  t.equal(t.assert(api:resource("/users/hubot"):get()), {
    login = "hubot", name = "Hubot", company = "Tidepool", member_since = "2015-11-20",
  })
end)

t.test("repositories come with the most stars first", function()
  host:stub("GET", "/users/*/repos", {
    json = { { name = "a", stargazers_count = 1 }, { name = "b", stargazers_count = 5 } },
  })
  t.equal(t.assert(api:resource("/users/hubot/repos"):get()), { { name = "b", stars = 5 }, { name = "a", stars = 1 } })
end)

t.test("a token is sent, and renewed before its time is over", function()
  local tokens = {}
  host:stub("GET", "/private/*", function(request)
    tokens[#tokens + 1] = request.headers.authorization
    return { json = {} }
  end)
  host:settle()
  api:resource("/private/a"):load():await()
  host:stub("POST", "/-/login", { json = { token = "second", expires_in = 60 } })
  host:advance(48)
  api:resource("/private/a"):load():await()
  t.equal(tokens, { "Bearer first", "Bearer second" })
end)
