local t = require "resthost.test"
local rest = require "resthost"
local f = require "support.oauth2_login"

local token_url = f.token_url

t.before_each(function()
  f.path = "oauth2_device_test.tokens"
  t.assert(rest.write_file(f.path, ""))
end)

t.describe("a login on another device", function()
  local device_url = "https://login.example/device"
  local answer, asked

  local function device(fields)
    f.start { login = "device", device_url = device_url, authorization_url = nil, scope = "read" }
    local reply = {
      device_code = "device-code", user_code = "ABCD-EFGH", verification_uri = "https://login.example/go",
      expires_in = 600, interval = 5,
    }
    for name, value in pairs(fields or {}) do reply[name] = value end
    asked = f.host:stub("POST", device_url, { json = reply })
    answer = nil
    rest.spawn(function() answer = f.log_in() end)
    f.host:settle()
  end

  local function refuse(code)
    f.login = f.host:stub("POST", token_url, { status = 400, json = { error = code } })
  end

  t.test("asks until the person has decided, more slowly when the server wants it", function()
    device()
    t.equal(f.form(asked.requests[1]), { client_id = "me", scope = "read" })
    refuse "authorization_pending"
    f.host:advance(10)
    t.equal(#f.login.requests, 2)
    refuse "slow_down"
    f.host:advance(5)
    t.equal(#f.login.requests, 1)
    refuse "authorization_pending"
    f.host:advance(9)
    t.equal(#f.login.requests, 0)
    f.host:advance(1)
    t.equal(#f.login.requests, 1)
    t.equal(f.form(f.login.requests[1]).device_code, "device-code")
    local tokens = { access_token = "token-1", refresh_token = "refresh-1" }
    f.login = f.host:stub("POST", token_url, { json = tokens })
    f.host:advance(10)
    t.equal(answer.err, "")
    t.equal(answer.printed[1], "Open https://login.example/go in a browser, and enter the code ABCD-EFGH")
    t.assert(f.get())
  end)

  t.test("ends when the code has expired", function()
    device { expires_in = 30 }
    refuse "authorization_pending"
    f.host:advance(60)
    t.matches(answer.err, "took too long")
    t.equal(#f.login.requests, 5)
  end)

  t.test("ends when the person or the server refuses", function()
    for code, pattern in pairs {
      access_denied = "the login was refused", expired_token = "took too long",
      invalid_client = "invalid_client",
    } do
      device()
      refuse(code)
      f.host:advance(5)
      t.matches(answer.err, pattern)
      t.equal(#f.login.requests, 1)
    end
  end)

  t.test("does not ask all the time when the server says so", function()
    device { interval = 0, expires_in = 100 }
    refuse "authorization_pending"
    f.host:advance(200)
    t.matches(answer.err, "took too long")
    t.equal(#f.login.requests, 99)
  end)

  t.test("needs a code in the answer", function()
    device { user_code = 5 }
    t.matches(answer.err, "POST https://login.example/device gave no 'device_code'")
  end)
end)
