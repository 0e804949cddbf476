-- Webhooks as Stripe, Slack, Standard Webhooks and others sign them.
local t = require "resthost.test"
local rest = require "resthost"
local deliveries = require "support.deliveries"

local receiving, count, post = deliveries.receiving, deliveries.count, deliveries.post
local stripe, standard, hex_hmac = deliveries.stripe, deliveries.standard, deliveries.hex_hmac
local NOW, STRIPE, STANDARD = deliveries.NOW, deliveries.STRIPE, deliveries.STANDARD
local KEY, OTHER_KEY, WHSEC = deliveries.KEY, deliveries.OTHER_KEY, deliveries.WHSEC
local OTHER_WHSEC = deliveries.OTHER_WHSEC

t.describe("Stripe", function()
  local body = '{"id":"evt_1","type":"charge.succeeded"}'

  t.test("gives the event its ID and its type", function()
    local host = receiving(STRIPE)
    t.equal(post(host, body, stripe(body, NOW - 10)).status, 204)
    local event = host.rest.store:get "event"
    t.equal({ event.id, event.type, event.timestamp }, { "evt_1", "charge.succeeded", NOW - 10 })
  end)

  t.test("gets 400 for a timestamp that is too far from the clock", function()
    local host = receiving(STRIPE)
    t.equal(post(host, body, stripe(body, NOW - 301)).status, 400)
    t.equal(post(host, body, stripe(body, NOW + 301)).status, 400)
    t.equal(post(host, body, stripe(body, NOW - 300)).status, 204)
    t.equal(post(host, body, stripe(body, NOW + 300)).status, 204)
    t.equal(count(host), 2)
  end)

  t.test("gets 401 for a wrong signature, however old", function()
    local host = receiving(STRIPE)
    t.equal(post(host, body, stripe(body, NOW - 301, "another secret")).status, 401)
    local headers = stripe(body, NOW)
    headers["Stripe-Signature"] = headers["Stripe-Signature"]:gsub("t=%d+", "t=" .. NOW + 1)
    t.equal(post(host, body, headers).status, 401)
    headers["Stripe-Signature"] = headers["Stripe-Signature"]:gsub("t=%d+,", "")
    t.equal(post(host, body, headers).status, 401)
  end)

  t.test("takes one of several signatures in the header, but not hundreds", function()
    local host, right = receiving(STRIPE), stripe(body, NOW)["Stripe-Signature"]
    local wrong = ",v1=" .. ("0"):rep(64)
    t.equal(post(host, body, { ["Stripe-Signature"] = right:gsub(",v1", wrong .. ",v1") }).status, 204)
    local many = right:gsub(",v1", wrong:rep(100) .. ",v1")
    t.equal(post(host, body, { ["Stripe-Signature"] = many }).status, 401)
  end)

  t.test("gets 409 for a replay until its timestamp is too old, then 400", function()
    local host, headers = receiving(STRIPE), stripe(body, NOW + 200)
    t.equal(post(host, body, headers).status, 204)
    host:advance(500)
    t.equal(post(host, body, headers).status, 409)
    host:advance(1)
    t.equal(post(host, body, headers).status, 400)
    t.equal(count(host), 1)
  end)

  t.test("may send the same event again with a new timestamp", function()
    local host = receiving(STRIPE)
    t.equal(post(host, body, stripe(body, NOW)).status, 204)
    t.equal(post(host, body, stripe(body, NOW + 1)).status, 204)
  end)
end)

t.describe("Slack", function()
  local SLACK = [[{ provider = "slack", secret = "8f742231b10e8888abcd99yyyzzz85a5" }]]

  local function slack(body, time, kind)
    local signature = hex_hmac("8f742231b10e8888abcd99yyyzzz85a5", ("v0:%d:%s"):format(time, body))
    return {
      ["X-Slack-Signature"] = "v0=" .. signature, ["X-Slack-Request-Timestamp"] = tostring(time),
      ["Content-Type"] = kind or "application/json",
    }
  end

  t.test("has the signature of its documentation", function()
    local body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow" ..
      "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner" ..
      "&command=%2Fwebhook-collect&text=" ..
      "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554" ..
      "%2F96rGlfmibIGlgcZRskXaIFfN" ..
      "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    local headers = slack(body, 1531420618, "application/x-www-form-urlencoded")
    t.equal(headers["X-Slack-Signature"],
      "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
    local host = receiving(SLACK)
    host:clock(1531420618)
    t.equal(post(host, body, headers).status, 204)
    t.equal(post(host, body, headers).status, 409)
  end)

  t.test("gets the challenge back when it verifies the URL, and the function doesn't run", function()
    local host, body = receiving(SLACK), '{"type":"url_verification","challenge":"3eZbrw1a"}'
    local answer = post(host, body, slack(body, NOW))
    t.equal({ answer.status, answer.body }, { 200, "3eZbrw1a" })
    t.equal(post(host, body, { ["X-Slack-Signature"] = "v0=" .. ("0"):rep(64) }).status, 401)
    t.equal(count(host), 0)
  end)

  t.test("gives the event its ID and the type of what happened", function()
    local host = receiving(SLACK)
    local body = '{"type":"event_callback","event_id":"Ev123","event":{"type":"app_mention"}}'
    t.equal(post(host, body, slack(body, NOW)).status, 204)
    local event = host.rest.store:get "event"
    t.equal({ event.id, event.type }, { "Ev123", "app_mention" })
  end)
end)

t.describe("Standard Webhooks", function()
  local body = '{"type":"user.created","data":{}}'

  t.test("has the signature of its specification", function()
    local specified = '{"test": 2432232314}'
    local host = receiving [[{ provider = "standard", secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }]]
    host:clock(1614265330)
    local headers = {
      ["webhook-id"] = "msg_p5jXN8AQM9LWM0D4loKWxJek", ["webhook-timestamp"] = "1614265330",
      ["webhook-signature"] = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    t.equal(post(host, specified, headers).status, 204)
  end)

  t.test("takes one of several signatures and one of several secrets", function()
    local options = ([[{ provider = "standard", secret = { "%s", "%s" } }]]):format(WHSEC, OTHER_WHSEC)
    local host = receiving(options)
    t.equal(post(host, body, standard(body, "m1", NOW, ("x"):rep(24), OTHER_KEY)).status, 204)
    t.equal(post(host, body, standard(body, "m2", NOW, KEY)).status, 204)
    t.equal(post(host, body, standard(body, "m3", NOW, ("x"):rep(24))).status, 401)
    -- The same delivery without one of its signatures is a replay, too.
    t.equal(post(host, body, standard(body, "m4", NOW, KEY, OTHER_KEY)).status, 204)
    t.equal(post(host, body, standard(body, "m4", NOW, OTHER_KEY)).status, 409)
  end)

  t.test("signs the ID", function()
    local host, headers = receiving(STANDARD), standard(body, "m1", NOW, KEY)
    headers["webhook-id"] = "m2"
    t.equal(post(host, body, headers).status, 401)
  end)
end)

t.describe("a digest of another sender", function()
  t.test("is found in its header, in each spelling", function()
    local host = receiving [[{
      provider = "hmac", secret = "key of ours", header = "X-Mine", id_header = "X-Id",
    }]]
    local digest = rest.crypto.hmac_sha256("key of ours", "{}")
    local spellings = {
      rest.hex.encode(digest), rest.hex.encode(digest):upper(), "sha256=" .. rest.hex.encode(digest),
      rest.base64.encode(digest), "sha256=" .. rest.base64.encode(digest),
    }
    for number, text in ipairs(spellings) do
      t.equal(post(host, "{}", { ["X-Mine"] = text, ["X-Id"] = tostring(number) }).status, 204)
    end
    t.equal(post(host, "{}", { ["X-Mine"] = spellings[1], ["X-Id"] = "1" }).status, 409)
    t.equal(post(host, "[]", { ["X-Mine"] = spellings[1] }).status, 401)
  end)
end)
