-- Sending webhooks: signatures, and attempts after failures.
local t = require "resthost.test"
local deliveries = require "support.deliveries"

local receiving, post, standard = deliveries.receiving, deliveries.post, deliveries.standard
local NOW, STANDARD, KEY = deliveries.NOW, deliveries.STANDARD, deliveries.KEY
local OTHER_KEY, WHSEC, OTHER_WHSEC = deliveries.OTHER_KEY, deliveries.WHSEC, deliveries.OTHER_WHSEC

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
    stub = host:stub("POST", IN, {
      status = 429, headers = { ["Retry-After"] = os.date("!%a, %d %b %Y %H:%M:%S GMT", NOW + 80) },
    })
    host:advance(30)
    t.equal(#stub.requests, 1)
    host:stub("POST", IN, { status = 429, headers = { ["Retry-After"] = "86400" } })
    host:advance(19)
    t.equal(#stub.requests, 1)
    host:advance(1)
    host:stub("POST", IN)
    host:advance(60)
    t.equal(host.rest.store:get("result").attempts, 5)
  end)

  t.test("is sent once in each attempt, also with c.retry", function()
    local host, start, result = sending(
      [[webhooks.send(rest.request("POST", "https://hooks.example.com/in", {
        configure = function(c) c.retry = { attempts = 3, base = 0.1 } end,
      }), "[]", { secret = secret, retry = { attempts = 2 } })]])
    local stub = host:stub("POST", IN, { status = 503 })
    start()
    host:advance(60)
    t.equal(#stub.requests, 2)
    t.matches(result().error, "503")
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
