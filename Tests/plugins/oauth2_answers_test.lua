local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2"

local token_url = f.token_url

t.describe("discovery", function()
  local issuer = "https://id.example/tenant"

  local function start_at(document)
    f.start { issuer = issuer, token_url = rest.null }
    return f.host:stub("GET", issuer .. "/.well-known/openid-configuration", document)
  end

  t.test("finds the token endpoint, once", function()
    local found = start_at { json = { issuer = issuer, token_endpoint = token_url } }
    t.assert(f.get())
    f.host:advance(601)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
    t.equal(#found.requests, 1)
  end)

  t.test("looks for the document of OAuth when there is none of OpenID", function()
    start_at { status = 404, text = "no" }
    f.host:stub("GET", "https://id.example/.well-known/oauth-authorization-server/tenant", {
      json = { issuer = issuer, token_endpoint = token_url },
    })
    t.assert(f.get())
  end)

  t.test("looks nowhere else when the server is busy", function()
    start_at { status = 503, text = "busy" }
    local _, err = f.get()
    t.matches(err.user_message, "configuration answered 503 with [^%s]+ charset=utf.8, not with JSON$")
  end)

  t.test("refuses the document of another issuer", function()
    start_at { json = { issuer = issuer .. "/", token_endpoint = token_url } }
    local _, err = f.get()
    t.matches(err.user_message, "openid.configuration is of the issuer 'https://id.example/tenant/', not of")
    t.equal(#f.login.requests, 0)
  end)

  t.test("refuses an endpoint without https", function()
    start_at { json = { issuer = issuer, token_endpoint = "http://login.example/token" } }
    local _, err = f.get()
    t.matches(err.user_message, "'token_endpoint' that is no https URL")
  end)

  t.test("says what it tried", function()
    start_at { status = 404, text = "no" }
    local other = "https://id.example/.well-known/oauth-authorization-server/tenant"
    f.host:stub("GET", other, { text = "<html>" })
    local _, err = f.get()
    t.matches(err.user_message, "configuration answered 404.*/tenant answered with text/plain")
  end)

  t.test("that finds no endpoint names the option", function()
    start_at { json = { issuer = issuer } }
    local _, err = f.get()
    t.matches(err.user_message, "names no 'token_endpoint': give option 'token_url'")
  end)
end)

t.describe("a bad answer of the token endpoint", function()
  local function fails(answer, pattern)
    f.start()
    f.host:stub("POST", token_url, answer)
    local _, err = f.get()
    t.matches(err.user_message, "POST https://login.example/token")
    t.matches(err.user_message, pattern)
    t.equal(#f.stub.requests, 0)
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

  t.test("is longer than a megabyte", function()
    fails({ json = { access_token = "a", more = ("x"):rep(1024 * 1024) } }, "1048576")
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
    f.start()
    f.login = f.host:stub("POST", token_url, f.issue { expires_in = "600", token_type = "bEARER" })
    t.assert(f.get())
    f.host:advance(601)
    t.assert(f.get())
    t.equal(#f.login.requests, 2)
  end)
end)

t.describe("a mistake of the script", function()
  t.test("is an error that names it", function()
    local null = rest.null
    t.raises(function() f.start { token_url = null } end, "either 'issuer' or 'token_url'")
    t.raises(function() f.start { issuer = "https://id.example" } end, "either 'issuer' or 'token_url'")
    t.raises(function() f.start { token_url = "login" } end, "has to be an https URL, not 'login'")
    t.raises(function() f.start { token_url = "https://a:b@login.example" } end, "can't have a user")
    t.raises(function() f.start { client_secret = null } end, "needs 'client_secret' or 'private_key'")
    t.raises(function() f.start { private_key = "x" } end, "either 'client_secret' or 'private_key'")
    t.raises(function() f.start { login = "code" } end, "needs 'file'")
    t.raises(function() f.start { refresh_token = "a", subject_token = "b" } end, "takes one of")
    t.raises(function() f.start { file = "x", refresh_token = function() end } end, "holds one token")
    t.raises(function() f.start { parameters = { a = 1 } } end, "has texts by name")
    t.raises(function() f.start { client_secrt = "x" } end, "did you mean 'client_secret'")
    t.raises(function() f.start { client_auth = "header" } end, "bad option 'client_auth'")
    local without = t.host().rest.service { name = "none" }
    t.raises(function()
      without:use("oauth2", { token_url = token_url, client_id = "me", client_secret = "a secret" })
    end, "needs a service with a 'base_url'")
  end)
end)
