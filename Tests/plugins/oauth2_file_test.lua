local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2_login"

t.before_each(function()
  f.path = "oauth2_file_test.tokens"
  t.assert(rest.write_file(f.path, ""))
end)

t.describe("the file", function()
  t.test("of other options is not used", function()
    f.start()
    f.authorize()
    t.equal(f.log_in().err, "")
    f.start { client_id = "you" }
    local _, err = f.get()
    t.matches(err.user_message, "nobody has logged in yet")
  end)

  t.test("that holds something else is left alone", function()
    t.assert(rest.write_file(f.path, '{"a":1}'))
    f.start()
    f.authorize()
    t.matches(f.log_in().err, "does not hold a token of this plugin")
    t.equal(rest.read_file(f.path), '{"a":1}')
  end)

  t.test("has no refresh token for client credentials, which need none", function()
    f.start()
    f.options.login, f.options.authorization_url, f.options.client_secret = nil, nil, "a secret"
    f.load(f.options)
    t.assert(f.get())
    t.matches(rest.read_file(f.path), '"token":"token%-1"')
    t.equal(rest.read_file(f.path):find("refresh-1", 1, true), nil)
  end)

  t.test("keeps the refresh tokens that follow an option's", function()
    f.start()
    f.options.login, f.options.authorization_url, f.options.refresh_token = nil, nil, "seed-token"
    local function restart()
      f.load(f.options)
      f.login = f.host:stub("POST", f.token_url, {
        json = { access_token = "token-1", refresh_token = "refresh-2", expires_in = 1 },
      })
    end
    restart()
    t.assert(f.get())
    t.equal(f.form(f.login.requests[1]).refresh_token, "seed-token")
    restart()
    f.host:advance(10)
    t.assert(f.get())
    t.equal(f.form(f.login.requests[1]).refresh_token, "refresh-2")
    f.options.refresh_token = "other-seed"
    restart()
    f.host:advance(20)
    t.assert(f.get())
    t.equal(f.form(f.login.requests[1]).refresh_token, "other-seed")
  end)
end)
