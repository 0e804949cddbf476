local t = require "resthost.test"
local rest = require "resthost"
local keys = require "support.keys"
local f = require "support.oauth2"

local token_url = f.token_url

t.describe("client credentials", function()
  t.test("are sent in Authorization, encoded as for forms", function()
    f.start { client_id = "me:1", client_secret = "a+b %", scope = "read write" }
    t.assert(f.get())
    t.equal(f.form(), { grant_type = "client_credentials", scope = "read write" })
    local basic = f.login.requests[1].headers.authorization
    t.equal(rest.base64.decode(basic:match "^Basic (.*)$"), "me%3A1:a%2Bb%20%25")
    t.equal(f.login.requests[1].headers.accept, "application/json")
  end)

  t.test("are sent in the body with further parameters", function()
    f.start { client_auth = "post", audience = "https://api.example", parameters = { tenant = "north" } }
    t.assert(f.get())
    t.equal(f.form(), {
      grant_type = "client_credentials", client_id = "me", client_secret = "a secret",
      audience = "https://api.example", tenant = "north",
    })
    t.equal(f.login.requests[1].headers.authorization, nil)
  end)

  t.test("may be a signed token", function()
    local jwt = require "resthost.jwt"
    f.start {
      client_secret = rest.null, private_key = keys.p256.private, algorithm = "ES256", key_id = "k1",
    }
    t.assert(f.get())
    local fields = f.form()
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
  local signer = { client_secret = rest.null, private_key = keys.p256.private, algorithm = "ES256" }
  local refusal = { error = "invalid_client" }

  t.test("has the server's time when the clock is wrong, once known", function()
    f.start(signer)
    f.login = f.host:stub("POST", token_url, function(request)
      local body = rest.base64.decode(request.body:match "client_assertion=[^.]+%.([^.]+)")
      if rest.json.decode(body).iat < 1003500 then
        return { status = 401, json = refusal, headers = { Date = "Mon, 12 Jan 1970 14:46:40 GMT" } }
      end
      return { json = { access_token = "t-000001", expires_in = 10 } }
    end)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
    f.host:advance(11)
    t.assert(f.get())
    t.equal(#f.login.requests, 3)
  end)

  t.test("is not sent again when the clocks agree, or for other errors", function()
    for _, answer in ipairs {
      { status = 401, json = refusal, headers = { Date = "Mon, 12 Jan 1970 13:46:45 GMT" } },
      { status = 401, json = refusal }, { status = 401, json = refusal, headers = { Date = "now" } },
      { status = 503, text = "busy", headers = { Date = "Mon, 12 Jan 1970 14:46:40 GMT" } },
    } do
      f.start(signer)
      f.login = f.host:stub("POST", token_url, answer)
      t.equal(f.get(), nil)
      t.equal(#f.login.requests, 1)
    end
  end)
end)

t.describe("a refresh token", function()
  t.test("gets tokens, and is replaced by the one that follows", function()
    f.start { refresh_token = "refresh-1", client_secret = rest.null }
    f.login = f.host:stub("POST", token_url, f.issue { refresh_token = "refresh-2" })
    t.assert(f.get())
    t.equal(f.form(), { grant_type = "refresh_token", refresh_token = "refresh-1", client_id = "me" })
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.form().refresh_token, "refresh-2")
  end)

  t.test("stays when none follows", function()
    f.start { refresh_token = "refresh-1" }
    t.assert(f.get())
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.form(2).refresh_token, "refresh-1")
  end)

  t.test("that has expired is an error that says so", function()
    f.start { refresh_token = "refresh-1" }
    f.login = f.host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    local _, err = f.get()
    t.matches(err.user_message, "token answered 400: invalid_grant: the refresh token has expired")
  end)

  t.test("of each partition gives it a token of its own", function()
    f.start {
      refresh_token = function(partition)
        if partition == "eve" then return nil, "eve has no token" end
        return "refresh-of-" .. tostring(partition)
      end,
    }
    f.login = f.host:stub("POST", token_url, function(request)
      local name = request.body:match "refresh%-of%-(%w+)"
      local refresh_token = "next-of-" .. name
      return { json = { access_token = "token-of-" .. name, refresh_token = refresh_token, expires_in = 60 } }
    end)
    local requests = {}
    for _, name in ipairs { "ada", "bob", "ada", "bob" } do
      requests[#requests + 1] = f.api:resource("x" .. #requests, { partition = name }):load()
    end
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#f.login.requests, 2)
    for _, request in ipairs(f.stub.requests) do
      local is_ada = request.url:find "[02]$" ~= nil
      t.equal(request.headers.authorization, "Bearer token-of-" .. (is_ada and "ada" or "bob"))
    end
    local _, err = f.api:resource("x", { partition = "eve" }):load():await()
    t.matches(err.user_message, "eve has no token")
  end)

  t.test("of a function that raises fails the requests, and is asked for again later", function()
    local given
    f.start { refresh_token = function() return given or error("no file") end }
    local _, err = f.get()
    t.matches(tostring(err), "no file")
    given = "refresh-1"
    f.host:advance(1)
    t.assert(f.get())
  end)

  t.test("that a function replaces goes before the one that followed", function()
    local given = "refresh-1"
    f.start { refresh_token = function() return given end }
    f.login = f.host:stub("POST", token_url, f.issue { refresh_token = "refresh-2" })
    t.assert(f.get())
    given = "refresh-9"
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.form().refresh_token, "refresh-9")
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.form().refresh_token, "refresh-2")
  end)
end)

t.describe("several services", function()
  local function further(options)
    local all = { token_url = token_url, client_id = "me", client_secret = "a secret" }
    for name, value in pairs(options) do all[name] = value end
    local service = f.host.rest.service { base_url = "https://other.example" }
    service:use("oauth2", all)
    f.host:stub("GET", "https://other.example/**", { json = {} })
    t.assert(service:resource("x"):load():await())
  end

  t.test("with the same options share a token", function()
    f.start()
    t.assert(f.get())
    further {}
    t.equal(#f.login.requests, 1)
  end)

  t.test("with functions have tokens of their own", function()
    f.start { refresh_token = function() return "refresh-1" end }
    t.assert(f.get())
    further { refresh_token = function() return "refresh-2" end }
    t.equal(#f.login.requests, 2)
    t.equal(f.form().refresh_token, "refresh-2")
  end)

  t.test("with another account, secret or scope have tokens of their own", function()
    for _, options in ipairs {
      { client_secret = "another" }, { scope = "read" }, { refresh_token = "refresh-9" },
      { subject_token = function() return "subject" end }, { parameters = { tenant = "a" } },
    } do
      f.start()
      t.assert(f.get())
      further(options)
      t.equal(#f.login.requests, 2)
    end
  end)
end)

t.describe("token exchange", function()
  t.test("sends the subject and the actor", function()
    f.start {
      subject_token = "subject", actor_token = "actor-token", audience = "shop",
      requested_token_type = "urn:ietf:params:oauth:token-type:access_token",
    }
    t.assert(f.get())
    t.equal(f.form(), {
      grant_type = "urn:ietf:params:oauth:grant-type:token-exchange", audience = "shop",
      subject_token = "subject", subject_token_type = "urn:ietf:params:oauth:token-type:access_token",
      actor_token = "actor-token", actor_token_type = "urn:ietf:params:oauth:token-type:access_token",
      requested_token_type = "urn:ietf:params:oauth:token-type:access_token",
    })
  end)
end)
