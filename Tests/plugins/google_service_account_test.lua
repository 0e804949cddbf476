local t = require "resthost.test"
local rest = require "resthost"
local jwt = require "resthost.jwt"
local keys = require "support.keys"

local token_url = "https://oauth2.googleapis.com/token"
local host, api, stub, login

local account = {
  type = "service_account", client_email = "robot@project.iam.example", private_key = keys.rsa.private,
  private_key_id = "k1", token_uri = token_url,
}

local function key(fields)
  local copy = {}
  for name, value in pairs(account) do copy[name] = value end
  for name, value in pairs(fields or {}) do copy[name] = value ~= rest.null and value or nil end
  return copy
end

local function start(options)
  host = t.host()
  api = host.rest.service { name = "storage", base_url = "https://storage.googleapis.com" }
  api:use("google_service_account", options)
  stub = host:stub("GET", "https://storage.googleapis.com/**", { json = {} })
  login = host:stub("POST", token_url, {
    json = { access_token = "google-token", expires_in = 3599, token_type = "Bearer" },
  })
end

local function get() return api:resource("b"):load():await() end
local function sent() return stub.requests[#stub.requests].headers.authorization end

local function verified(token, options)
  options.key, options.algorithms = keys.rsa.public, { "RS256" }
  return t.assert(jwt.verify(token, options))
end

t.describe("a service account", function()
  t.test("gets one token for a signed one", function()
    local scopes = { "https://a.example/read", "https://a.example/write" }
    start { key = key(), scopes = scopes, subject = "ada@a.example" }
    local first, second = api:resource("a"):load(), api:resource("b"):load()
    t.assert(first:await())
    t.assert(second:await())
    t.equal(#login.requests, 1)
    t.equal(sent(), "Bearer google-token")
    local params = rest.url.parse("https://x/?" .. login.requests[1].body).params
    t.equal(params.grant_type, "urn:ietf:params:oauth:grant-type:jwt-bearer")
    local claims = verified(params.assertion, { audience = token_url })
    t.equal(claims, {
      iss = account.client_email, sub = "ada@a.example", aud = token_url, iat = 1000000, exp = 1003600,
      scope = "https://a.example/read https://a.example/write",
    })
    local header = rest.json.decode(rest.base64.decode(params.assertion:match "^[^.]+"))
    t.equal(header, { alg = "RS256", kid = "k1", typ = "JWT" })
    host:advance(3570)
    t.assert(get())
    t.equal(#login.requests, 2)
  end)

  t.test("may sign the token itself", function()
    start { key = rest.json.encode(key()), audience = "https://storage.googleapis.com/" }
    t.assert(get())
    t.equal(#login.requests, 0)
    local token = sent():match "^Bearer (.*)$"
    local claims = verified(token, { audience = "https://storage.googleapis.com/" })
    t.equal(claims.sub, account.client_email)
    t.equal(claims.exp - claims.iat, 3600)
    host:advance(100)
    t.assert(get())
    t.equal(sent(), "Bearer " .. token)
    host:advance(3500)
    t.assert(get())
    t.assert(get())
    t.equal(sent() ~= "Bearer " .. token, true)
  end)

  t.test("signs with the server's time when the clock is wrong", function()
    start { key = key(), scopes = "a" }
    host:clock(1050000)
    local bad = { status = 400, json = { error = "invalid_grant", error_description = "Invalid JWT" } }
    local good = { json = { access_token = "google-token", expires_in = 3599 } }
    local answers = { bad, good }
    login = host:stub("POST", token_url, function()
      local answer = table.remove(answers, 1)
      answer.headers = { Date = "Mon, 12 Jan 1970 13:46:40 GMT" }
      return answer
    end)
    t.assert(get())
    local assertion = login.requests[2].body:match "assertion=([^&]*)"
    t.equal(verified(assertion, { audience = token_url, leeway = 300 }).iat, 1000000)
  end)

  t.test("has its key in a file", function()
    local path = "google_service_account_test.tokens"
    t.assert(rest.write_file(path, rest.json.encode(key())))
    start { key_file = path, scopes = "a" }
    t.assert(get())
    t.equal(sent(), "Bearer google-token")
    t.assert(rest.write_file(path, "{}"))
  end)
end)

t.describe("an error", function()
  t.test("of the server has its words", function()
    start { key = key(), scopes = "a" }
    local refusal = { error = "invalid_scope", error_description = "bad" }
    host:stub("POST", token_url, { status = 400, json = refusal })
    local _, err = get()
    t.matches(err.user_message, "googleapis.com/token answered 400: invalid_scope %(bad%)")
    t.equal(#stub.requests, 0)
  end)

  t.test("of the script is found at once", function()
    t.raises(function() start { scopes = "a" } end, "either 'key' or 'key_file'")
    t.raises(function() start { key = key() } end, "needs 'scopes', or 'audience'")
    t.raises(function() start { key = "x", scopes = "a" } end, "option 'key' is not the JSON")
    t.raises(function() start { key = key { type = "user" }, scopes = "a" } end, "its 'type' is 'user'")
    local nameless = key { client_email = rest.null }
    t.raises(function() start { key = nameless, scopes = "a" } end, "no 'client_email'")
    t.raises(function() start { key = key { private_key = "x" }, scopes = "a" } end, "private key")
    t.raises(function() start { key = key { token_uri = "x" }, scopes = "a" } end, "has to be an https URL")
    t.raises(function() start { key_file = "missing.json", scopes = "a" } end, "No such file")
    t.raises(function() start { key = key(), audience = "a", subject = "b" } end, "without 'audience'")
  end)
end)
