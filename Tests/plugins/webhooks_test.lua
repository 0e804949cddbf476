-- Webhooks: signatures of each sender, old timestamps, replays, failures, and sending with retries.
local t = require "resthost.test"
local rest = require "resthost"

local NOW = 1000000

local function hex_hmac(secret, text) return rest.hex.encode(rest.crypto.hmac_sha256(secret, text)) end

-- A host with one route, which keeps what it gets in the store.
local function receiving(options, body)
  return t.load {
    source = ([[
      local rest = require "resthost"
      local webhooks = require "resthost.webhooks"
      local gateway = rest.gateway { limits = { body = 1000 } }
      webhooks.route(gateway, "/hook", %s, function(event)
        rest.store:incr("count")
        event.request = nil
        rest.store:set("event", event)
        %s
      end)
    ]]):format(options, body or ""),
  }
end

local function count(host) return host.rest.store:get "count" or 0 end
local function post(host, body, headers)
  return host:request("POST", "/hook", { body = body, headers = headers })
end

local function github(body, id, secret)
  return {
    ["X-Hub-Signature-256"] = "sha256=" .. hex_hmac(secret or "It's a Secret to Everybody", body),
    ["X-GitHub-Delivery"] = id, ["X-GitHub-Event"] = "push", ["Content-Type"] = "application/json",
  }
end
local GITHUB = [[{ provider = "github", secret = "It's a Secret to Everybody" }]]

local function stripe(body, time, secret)
  local signature = hex_hmac(secret or "whsec_of_stripe", ("%d.%s"):format(time, body))
  local header = ("t=%d,v1=%s,v0=00"):format(time, signature)
  return { ["Stripe-Signature"] = header, ["Content-Type"] = "application/json" }
end
local STRIPE = [[{ provider = "stripe", secret = "whsec_of_stripe" }]]

local KEY, OTHER_KEY = ("k"):rep(24), ("o"):rep(24)
local WHSEC, OTHER_WHSEC = "whsec_" .. rest.base64.encode(KEY), "whsec_" .. rest.base64.encode(OTHER_KEY)

local function standard(body, id, time, ...)
  local signatures = {}
  for place, key in ipairs { ... } do
    local text = ("%s.%d.%s"):format(id, time, body)
    signatures[place] = "v1," .. rest.base64.encode(rest.crypto.hmac_sha256(key, text))
  end
  return {
    ["webhook-id"] = id, ["webhook-timestamp"] = tostring(time),
    ["webhook-signature"] = table.concat(signatures, " "), ["Content-Type"] = "application/json",
  }
end
local STANDARD = ([[{ provider = "standard", secret = "%s" }]]):format(WHSEC)

t.describe("GitHub", function()
  t.test("has the signature of its documentation", function()
    t.equal(github("Hello, World!", "1")["X-Hub-Signature-256"],
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
    local host = receiving(GITHUB)
    t.equal(post(host, "Hello, World!", github("Hello, World!", "1")).status, 204)
  end)

  t.test("gives the event its ID, its type and the decoded body", function()
    local host, body = receiving(GITHUB), '{ "ref": "main" }'
    t.equal(post(host, body, github(body, "72d3162e")).status, 204)
    local event = host.rest.store:get "event"
    t.equal({ event.id, event.type, event.provider, event.timestamp }, { "72d3162e", "push", "github", NOW })
    t.equal(event.payload.ref, "main")
    t.equal(event.body, body)
  end)

  t.test("gets 401 for a wrong or missing signature, and the function doesn't run", function()
    local host = receiving(GITHUB)
    local changed = github("{}", "1")
    t.equal(post(host, "{} ", changed).status, 401)
    t.equal(post(host, "{}", github("{}", "1", "another secret")).status, 401)
    local missing = post(host, "{}", { ["X-GitHub-Delivery"] = "1" })
    t.equal(missing.status, 401)
    t.matches(missing.body, "the header X-Hub-Signature-256 is missing")
    for _, text in ipairs { "", "sha256=", "sha256=zz", "sha1=" .. ("0"):rep(40), ("0"):rep(64) } do
      t.equal(post(host, "{}", { ["X-Hub-Signature-256"] = text }).status, 401)
    end
    t.equal(count(host), 0)
  end)

  t.test("gets 409 for a replay within the tolerance, which is not called again", function()
    local host = receiving(GITHUB)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    host:advance(299)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    t.equal(post(host, "{}", github("{}", "2")).status, 204)
    host:advance(3)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(count(host), 3)
  end)

  t.test("gets 413 for a body beyond the gateway's limit", function()
    local host, body = receiving(GITHUB), ("x"):rep(1001)
    t.equal(post(host, body, github(body, "1")).status, 413)
    t.equal(count(host), 0)
  end)

  t.test("can have one of several secrets", function()
    local host = receiving [[{ provider = "github", secret = { "the new secret", "the old secret" } }]]
    t.equal(post(host, "{}", github("{}", "1", "the old secret")).status, 204)
    t.equal(post(host, "{}", github("{}", "2", "the new secret")).status, 204)
    t.equal(post(host, "{}", github("{}", "3", "no secret of it")).status, 401)
  end)
end)

t.describe("a function that fails", function()
  t.test("gets 500 for an error, and the next delivery counts", function()
    local host = receiving(GITHUB, [[if rest.store:get "count" == 1 then error "the database is away" end]])
    t.equal(post(host, "{}", github("{}", "1")).status, 500)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    t.equal(count(host), 2)
  end)

  t.test("gets 500 for nil and a reason, which the sender doesn't see", function()
    local host = receiving(GITHUB, [[if rest.store:get "count" == 1 then return nil, "a private reason" end]])
    local answer = post(host, "{}", github("{}", "1"))
    t.equal(answer.status, 500)
    t.assert(not answer.body:find "private")
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
  end)

  t.test("of too much time lets the delivery come again after the tolerance", function()
    local host = receiving(GITHUB, [[while rest.store:get "count" == 1 do end]])
    t.equal(post(host, "{}", github("{}", "1")).status, 500)
    host:advance(301)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
  end)

  t.test("gives its own answer", function()
    local host = receiving(GITHUB, [[return rest.response { status = 202, json = { taken = true } }]])
    local answer = post(host, "{}", github("{}", "1"))
    t.equal({ answer.status, answer.body }, { 202, '{"taken":true}' })
  end)

  t.test("keeps out the same delivery while it waits", function()
    local host = receiving(GITHUB, "rest.sleep(10)")
    local first
    host.rest.spawn(function() first = post(host, "{}", github("{}", "1")) end)
    host:advance(1)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    host:advance(9)
    t.equal(first.status, 204)
    t.equal(count(host), 1)
  end)
end)

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
      rest.base64.encode(digest),
    }
    for number, text in ipairs(spellings) do
      t.equal(post(host, "{}", { ["X-Mine"] = text, ["X-Id"] = tostring(number) }).status, 204)
    end
    t.equal(post(host, "{}", { ["X-Mine"] = spellings[1], ["X-Id"] = "1" }).status, 409)
    t.equal(post(host, "[]", { ["X-Mine"] = spellings[1] }).status, 401)
  end)
end)

t.describe("options of route", function()
  local function problem(options)
    local message = t.raises(function() receiving(options) end)
    return message
  end

  t.test("are checked", function()
    t.matches(problem [[{ provider = "gitlab", secret = "key of ours" }]], [["github" | "stripe"]])
    t.matches(problem [[{ provider = "github" }]], "option 'secret' is missing")
    t.matches(problem [[{ provider = "github", secret = {} }]], "there is no secret")
    t.matches(problem [[{ provider = "github", secret = "" }]], "a secret is empty")
    t.matches(problem [[{ provider = "standard", secret = "whsec_!" }]], "16 bytes or more in base64")
    t.matches(problem [[{ provider = "github", secret = "key of ours", header = "X" }]], "is for provider = ")
    t.matches(problem [[{ provider = "github", secret = "key of ours", tolerance = 0 }]], "(1 to 86400)")
    t.matches(problem [[{ provider = "github", secret = "k", tolerence = 9 }]], "did you mean 'tolerance'?")
  end)
end)

t.describe("send", function()
  -- A host whose route sends the event and answers with the result.
  local function sending(call)
    local host = t.load {
      source = ([[
        local rest = require "resthost"
        local webhooks = require "resthost.webhooks"
        local receiver = rest.service { name = "receiver", base_url = "https://hooks.example.com/in" }
        local secret = "%s"
        local function send()
          local result, err = %s
          rest.store:set("result", result or { error = tostring(err) })
        end
        rest.gateway {}:route("POST", "/send", function()
          rest.spawn(send)
          return "ok"
        end)
      ]]):format(WHSEC, call),
    }
    local function start() t.equal(host:request("POST", "/send").status, 200) end
    return host, start, function() return host.rest.store:get "result" end
  end
  local TO_URL = [[webhooks.send(
    "https://hooks.example.com/in", { type = "a" }, { secret = secret, id = "msg_1" })]]
  local IN = "https://hooks.example.com/in"

  t.test("posts what our own route accepts", function()
    local host, start, result = sending(TO_URL)
    local stub = host:stub("POST", IN)
    start()
    t.equal(result(), { id = "msg_1", status = 200, attempts = 1 })
    local request = stub.requests[1]
    t.equal(request.body, '{"type":"a"}')
    t.equal(request.headers["content-type"], "application/json")
    local headers = standard(request.body, "msg_1", NOW, KEY)
    for _, name in ipairs { "webhook-id", "webhook-timestamp", "webhook-signature" } do
      t.equal(request.headers[name], headers[name])
    end
    t.equal(post(receiving(STANDARD), request.body, request.headers).status, 204)
  end)

  t.test("keeps the ID and takes a new timestamp for each attempt", function()
    local host, start, result = sending(TO_URL)
    local answers = { { status = 503 }, { error = { type = "connection_failed" } }, { status = 200 } }
    local stub = host:stub("POST", IN, function() return table.remove(answers, 1) end)
    start()
    host:advance(1)
    t.equal(#stub.requests, 2)
    host:advance(2)
    t.equal(result(), { id = "msg_1", status = 200, attempts = 3 })
    local receiver = receiving(STANDARD)
    for place, time in ipairs { NOW, NOW + 1, NOW + 3 } do
      local headers = stub.requests[place].headers
      t.equal({ headers["webhook-id"], headers["webhook-timestamp"] }, { "msg_1", tostring(time) })
      t.equal(post(receiver, stub.requests[place].body, headers).status, 204)
    end
  end)

  t.test("waits as Retry-After says, up to the cap", function()
    local host, start = sending(TO_URL)
    local stub = host:stub("POST", IN, { status = 429, headers = { ["Retry-After"] = "30" } })
    start()
    host:advance(29)
    t.equal(#stub.requests, 1)
    host:advance(1)
    t.equal(#stub.requests, 2)
    host:stub("POST", IN, { status = 429, headers = { ["Retry-After"] = "86400" } })
    host:advance(30)
    host:stub("POST", IN)
    host:advance(60)
    t.equal(host.rest.store:get("result").attempts, 4)
  end)

  t.test("gives up after its attempts, with the last error", function()
    local host, start, result = sending(
      [[webhooks.send(receiver, "[]", { secret = secret, retry = { attempts = 3, base = 10, cap = 15 } })]])
    local stub = host:stub("POST", "https://hooks.example.com/in/", { status = 500 })
    start()
    host:advance(24)
    t.equal(#stub.requests, 2)
    host:advance(1)
    t.equal(#stub.requests, 3)
    t.matches(result().error, "500")
    t.matches(stub.requests[1].headers["webhook-id"], "^msg_%x+$")
    t.equal(stub.requests[1].body, "[]")
    host:advance(1000)
    t.equal(#stub.requests, 3)
  end)

  t.test("does not follow a redirect, which counts as a failure", function()
    local host, start, result = sending(
      [[webhooks.send("https://hooks.example.com/in", {}, { secret = secret, retry = { attempts = 1 } })]])
    host:stub("POST", IN, { status = 302, headers = { Location = "/elsewhere" } })
    start()
    t.matches(result().error, "answers 302, which counts as a failure")
  end)

  t.test("stops at 410", function()
    local host, start, result = sending(TO_URL)
    local stub = host:stub("POST", IN, { status = 410 })
    start()
    host:advance(1000)
    t.equal(#stub.requests, 1)
    t.matches(result().error, "410")
  end)

  t.test("is done when the status is a success, whatever the body", function()
    local host, start, result = sending(TO_URL)
    host:stub("POST", IN, {
      status = 200, body = "ok", headers = { ["Content-Type"] = "application/json" },
    })
    start()
    t.equal(result().attempts, 1)
  end)

  t.test("takes a definition, whose headers stay", function()
    local host, start, result = sending(
      [[webhooks.send(
        receiver:define("POST", "a/b", { headers = { ["X-Tenant"] = "north" } }), {}, { secret = secret })]])
    local stub = host:stub("POST", "https://hooks.example.com/in/a/b")
    start()
    t.equal(result().status, 200)
    t.equal(stub.requests[1].headers["x-tenant"], "north")
  end)

  t.test("signs with each of several secrets", function()
    local call = [[webhooks.send(receiver, {}, { secret = { secret, "%s" }, id = "m" })]]
    local host, start = sending(call:format(OTHER_WHSEC))
    local stub = host:stub("POST", "https://hooks.example.com/in/")
    start()
    local request = stub.requests[1]
    t.equal(request.headers["webhook-signature"],
      standard(request.body, "m", NOW, KEY, OTHER_KEY)["webhook-signature"])
  end)
end)
