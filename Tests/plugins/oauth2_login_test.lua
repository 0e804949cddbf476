local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2_login"

local token_url = f.token_url

t.before_each(function()
  f.path = "oauth2_login_test.tokens"
  t.assert(rest.write_file(f.path, ""))
end)

t.describe("without a login", function()
  t.test("requests fail and name the command", function()
    f.start()
    local _, err = f.get()
    t.matches(err.user_message, "nobody has logged in yet: run `resthost login`")
    t.equal(#f.login.requests, 0)
  end)
end)

t.describe("a login with a code", function()
  t.test("has state and PKCE, and its tokens are used", function()
    f.start { scope = "read offline", audience = "shop" }
    local page = f.authorize()
    t.equal(f.log_in().err, "")
    local asked = rest.url.parse(page.requests[1].url).params
    t.equal(asked.response_type, "code")
    t.equal(asked.client_id, "me")
    t.equal(asked.scope, "read offline")
    t.equal(asked.redirect_uri, "http://127.0.0.1:8400/callback")
    t.equal(asked.code_challenge_method, "S256")
    local fields = f.form(f.login.requests[1])
    t.equal(fields.grant_type, "authorization_code")
    t.equal(fields.code, "the-code")
    t.equal(fields.redirect_uri, asked.redirect_uri)
    t.equal(#fields.code_verifier, 43)
    local digest = rest.base64.encode(rest.crypto.sha256(fields.code_verifier))
    t.equal(asked.code_challenge, (digest:gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })))
    t.assert(f.get())
    t.equal(f.stub.requests[1].headers.authorization, "Bearer token-1")
    t.equal(#f.login.requests, 1)
  end)

  t.test("outlives the program, and its refresh tokens follow each other in the file", function()
    f.start()
    f.authorize()
    t.equal(f.log_in { listed = true }.err, "")
    f.start()
    t.assert(f.get())
    t.equal(f.stub.requests[1].headers.authorization, "Bearer token-1")
    t.equal(#f.login.requests, 0)
    f.login = f.host:stub("POST", token_url, {
      json = { access_token = "token-2", refresh_token = "refresh-2", expires_in = 600 },
    })
    f.host:advance(601)
    t.assert(f.get())
    t.equal(f.form(f.login.requests[1]).refresh_token, "refresh-1")
    f.start()
    f.host:advance(1300)
    t.assert(f.get())
    t.equal(f.form(f.login.requests[1]).refresh_token, "refresh-2")
  end)

  t.test("by another program is seen when the tokens of this one are of no use", function()
    f.start()
    f.authorize()
    t.equal(f.log_in().err, "")
    t.assert(f.get())
    f.host:advance(601)
    local text = t.assert(rest.read_file(f.path))
    text = text:gsub("token%-1", "token-9"):gsub('"obtained":[%d.e+]+', '"obtained":1000601')
    t.assert(rest.write_file(f.path, text))
    t.assert(f.get())
    t.equal(f.stub.requests[2].headers.authorization, "Bearer token-9")
    t.equal(#f.login.requests, 1)
  end)

  t.test("listens where the terminal can", function()
    f.start()
    local page = f.authorize()
    t.equal(f.log_in({ listen = "http://127.0.0.1:5000/" }).err, "")
    t.equal(rest.url.parse(page.requests[1].url).params.redirect_uri, "http://127.0.0.1:5000/")
    t.equal(f.form(f.login.requests[1]).redirect_uri, "http://127.0.0.1:5000/")
  end)

  t.test("takes the code alone, or a query", function()
    f.start()
    t.equal(f.log_in({ answer = " the-code\n" }).err, "")
    t.equal(f.form(f.login.requests[1]).code, "the-code")
    t.equal(f.log_in({ answer = "code-of-base64==" }).err, "")
    t.equal(f.form(f.login.requests[2]).code, "code-of-base64==")
    t.matches(f.log_in({ answer = "?code=a&state=b" }).err, "another login")
    t.matches(f.log_in({ answer = "state=b&code=a" }).err, "another login")
  end)

  t.test("of another state is refused", function()
    f.start()
    f.authorize { state = "x" }
    t.matches(f.log_in().err, "belongs to another login %(state%)")
    t.equal(#f.login.requests, 0)
  end)

  t.test("that the person refuses says so", function()
    f.start()
    f.authorize { error = "access_denied", error_description = "no" }
    t.matches(f.log_in().err, "the login was refused: access_denied %(no%)")
    t.matches(f.log_in({ answer = "" }).err, "has no code")
  end)

  t.test("that the server refuses says why", function()
    f.start()
    f.authorize()
    f.host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    t.matches(f.log_in().err, "answered 400: invalid_grant")
    t.equal(rest.read_file(f.path), "")
  end)

  t.test("needs no service, but its options", function()
    f.start()
    f.authorize()
    local answer = f.log_in { by_options = true }
    t.equal(answer.err, "")
    t.equal(answer.count, 1)
    t.assert(f.get())
  end)

  t.test("says when there is no refresh token", function()
    f.start()
    f.authorize()
    f.host:stub("POST", token_url, { json = { access_token = "token-1", expires_in = 600 } })
    local answer = f.log_in()
    t.matches(answer.printed[#answer.printed], "no refresh token")
    t.assert(f.get())
    f.host:advance(601)
    local _, err = f.get()
    t.matches(err.user_message, "the login has expired: run `resthost login`")
  end)

  t.test("finds the endpoints of the issuer, and refuses another one", function()
    f.start()
    f.options.token_url, f.options.authorization_url = nil, nil
    f.options.issuer = "https://login.example"
    f.load(f.options)
    f.host:stub("GET", "https://login.example/.well-known/openid-configuration", {
      json = {
        issuer = f.options.issuer, token_endpoint = token_url,
        authorization_endpoint = f.authorize_url,
      },
    })
    f.login = f.host:stub("POST", token_url, { json = { access_token = "token-1" } })
    f.authorize { iss = "https://eve.example" }
    t.matches(f.log_in().err, "the answer is of another issuer: 'https://eve.example'")
    f.authorize { iss = "https://login.example" }
    t.equal(f.log_in().err, "")
  end)
end)

t.describe("a refresh token that has expired", function()
  t.test("names the command", function()
    f.start()
    f.authorize()
    t.equal(f.log_in().err, "")
    f.host:advance(601)
    f.host:stub("POST", token_url, { status = 400, json = { error = "invalid_grant" } })
    local _, err = f.get()
    t.matches(err.user_message, "invalid_grant: log in again with `resthost login`")
  end)
end)

t.describe("a wrong call", function()
  t.test("of login says what it takes", function()
    local login = require "resthost.oauth2".login
    local terminal = { print = print, ask = function() end }
    t.raises(function() login({}, nil) end, "takes a terminal with 'print', and 'ask' or 'listen'")
    t.raises(function() login({}, { print = print }) end, "takes a terminal")
    t.raises(function() login(nil, terminal) end, "the service does not use 'oauth2' with option 'login'")
    t.raises(function() login({ client_id = "me" }, terminal) end, "option 'login' is missing")
    t.raises(function() login({ client_idd = "me" }, terminal) end, "did you mean 'client_id'")
  end)
end)
