local t = require "resthost.test"

local host, orders

t.before_each(function()
  host = t.load "stripe_webhooks.lua"
  orders = host:stub("PATCH", "http://127.0.0.1:8081/orders/42", {})
end)

-- Sends an event with the signature that Stripe would give it.
local function send(kind, options)
  options = options or {}
  local rest = host.rest
  local body = rest.json.encode {
    id = options.id or "evt_1", type = kind,
    data = { object = { id = "pi_1", amount_received = 1200, metadata = { order = "42" } } },
  }
  local time = tostring(options.time or math.tointeger(host:clock()))
  local signature = rest.hex.encode(rest.crypto.hmac_sha256("whsec_for_trying_out", time .. "." .. body))
  return host:request("POST", "/stripe", {
    body = options.body or body,
    headers = {
      ["Content-Type"] = "application/json", ["Stripe-Signature"] = ("t=%s,v1=%s"):format(time, signature),
    },
  })
end

t.test("a payment is told to the orders once", function()
  t.equal(send("payment_intent.succeeded").status, 200)
  t.equal(host.rest.json.decode(orders.requests[1].body), { state = "paid", amount = 1200, payment = "pi_1" })
  t.equal(send("payment_intent.succeeded", { id = "evt_2" }).status, 200)
  t.equal(#orders.requests, 1)
end)

t.test("a changed body, an old event and a replay are refused", function()
  t.equal(send("payment_intent.succeeded", { body = "{}" }).status, 401)
  t.equal(send("payment_intent.succeeded", { time = 999000 }).status, 400)
  t.equal(send("payment_intent.payment_failed").status, 200)
  t.equal(send("payment_intent.payment_failed").status, 409)
  t.equal(#orders.requests, 0)
end)

t.test("Stripe sends an event again whose order could not be changed", function()
  host:stub("PATCH", "http://127.0.0.1:8081/orders/42", { status = 404 })
  t.equal(send("payment_intent.succeeded").status, 500)
  local works = host:stub("PATCH", "http://127.0.0.1:8081/orders/42", {})
  host:advance(60)
  t.equal(send("payment_intent.succeeded").status, 200)
  t.equal(#works.requests, 1)
end)

t.test("other events are ignored", function()
  t.equal(send("customer.created").json, { ignored = "customer.created" })
end)
