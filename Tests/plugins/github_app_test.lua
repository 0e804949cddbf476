local t = require "resthost.test"
local jwt = require "resthost.jwt"
local keys = require "support.keys"
local dates = require "resthost.dates"

local url = "https://api.github.com/app/installations/42/access_tokens"
local host, api, stub, login

local function start(options)
  host = t.host()
  api = host.rest.service { name = "github", base_url = "https://api.github.com" }
  local all = { app_id = 7, private_key = keys.rsa.private, installation_id = 42 }
  for name, value in pairs(options or {}) do all[name] = value end
  api:use("github_app", all)
  stub = host:stub("GET", "https://api.github.com/repos/**", { json = {} })
  local number = 0
  login = host:stub("POST", url, function()
    number = number + 1
    return {
      status = 201, headers = { Date = "Mon, 12 Jan 1970 13:46:40 GMT" },
      json = { token = "installation-" .. number, expires_at = "1970-01-12T14:46:40Z" },
    }
  end)
end

local function get() return api:resource("repos/a/b"):load():await() end
local function sent() return stub.requests[#stub.requests].headers.authorization end

local function claims_of(request, leeway)
  local token = request.headers.authorization:match "^Bearer (.*)$"
  return t.assert(jwt.verify(token, { key = keys.rsa.public, algorithms = { "RS256" }, leeway = leeway }))
end

t.describe("an installation", function()
  t.test("gets one token for all requests", function()
    start()
    local requests = {}
    for number = 1, 10 do requests[number] = api:resource("repos/a/" .. number):load() end
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#login.requests, 1)
    t.equal(sent(), "Bearer installation-1")
    local claims = claims_of(login.requests[1], 0)
    t.equal(claims, { iss = "7", iat = 999940, exp = 1000540 })
    t.equal(login.requests[1].headers.accept, "application/vnd.github+json")
  end)

  t.test("gets the next one early", function()
    start()
    t.assert(get())
    host:advance(3569)
    t.assert(get())
    t.equal(#login.requests, 1)
    host:advance(2)
    t.assert(get())
    t.equal(#login.requests, 2)
    t.assert(get())
    t.equal(sent(), "Bearer installation-2")
  end)

  t.test("has the lifetime by the server's clock", function()
    start()
    host:clock(2000000)
    t.assert(get())
    host:advance(1800)
    t.assert(get())
    t.equal(#login.requests, 1)
  end)

  t.test("signs with the server's time when the clock is wrong", function()
    start()
    host:clock(1050000)
    local answers = { { status = 401, json = { message = "'Expiration time' is too far in the future" } } }
    local good = { status = 201, json = { token = "installation-1", expires_at = "1970-01-12T14:46:40Z" } }
    login = host:stub("POST", url, function()
      local answer = table.remove(answers, 1) or good
      answer.headers = { Date = "Mon, 12 Jan 1970 13:46:40 GMT" }
      return answer
    end)
    t.assert(get())
    t.equal(#login.requests, 2)
    t.equal(claims_of(login.requests[2], 300).iat, 999940)
  end)

  t.test("may be limited to repositories and permissions", function()
    start { repositories = { "b" }, permissions = { contents = "read" } }
    t.assert(get())
    t.equal(login.requests[1].body, '{"permissions":{"contents":"read"},"repositories":["b"]}')
  end)

  t.test("may be at a server of a company", function()
    start { api_url = "https://github.example/api/v3/" }
    login = host:stub("POST", "https://github.example/api/v3/app/installations/42/access_tokens", {
      json = { token = "installation-9" },
    })
    t.assert(get())
    t.equal(sent(), "Bearer installation-9")
  end)
end)

t.describe("an error", function()
  local function fails(answer, pattern)
    start()
    host:stub("POST", url, answer)
    local _, err = get()
    t.matches(err.user_message, pattern)
    t.equal(#stub.requests, 0)
  end

  t.test("of the server has its message and a hint", function()
    fails({ status = 401, json = { message = "Bad" } }, "401 %(Bad%): check 'app_id' and 'private_key'")
    fails({ status = 404, json = { message = "Not Found" } }, "404 %(Not Found%): check 'installation_id'")
    fails({ json = {} }, "gave no 'token'")
    fails({ json = { token = "a\nb" } }, "gave no 'token'")
    fails({ text = "<html>" }, "answered with text/plain")
  end)

  t.test("of the script is found at once", function()
    t.raises(function() start { private_key = keys.rsa.public } end, "private key")
    t.raises(function() start { installation_id = "me" } end, "is a number, not 'me'")
    t.raises(function() start { api_url = "github" } end, "'api_url' has to be an https URL")
    t.raises(function() start { ap_id = 5 } end, "did you mean 'app_id'")
  end)
end)

t.describe("dates", function()
  t.test("of headers and of JSON are read", function()
    t.equal(dates.of_http "Sun, 06 Nov 1994 08:49:37 GMT", 784111777)
    t.equal(dates.of_http "Sunday", nil)
    t.equal(dates.of_http "Sun, 06 Xyz 1994 08:49:37 GMT", nil)
    t.equal(dates.of_http(nil), nil)
    t.equal(dates.of_iso "1994-11-06T08:49:37Z", 784111777)
    t.equal(dates.of_iso "1994-11-06T09:49:37.5+01:00", 784111777)
    t.equal(dates.of_iso "2000-02-29T00:00:00Z", 951782400)
    t.equal(dates.of_iso "2000-03-01T00:00:00Z", 951868800)
    t.equal(dates.of_iso "1970-01-01T00:00:00Z", 0)
    t.equal(dates.of_iso "1994-11-06T08:49:37", nil)
    t.equal(dates.of_iso(5), nil)
  end)
end)
