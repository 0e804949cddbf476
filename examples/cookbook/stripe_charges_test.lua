local t = require "resthost.test"

local url = "https://api.stripe.com/v1/payment_intents"
local host

t.before_each(function() host = t.load "stripe_charges.lua" end)

local function pay(form) return host:request("POST", "/pay", { form = form }) end

t.test("a payment is sent as a form with a key of its order", function()
  local stub = host:stub("POST", url, { json = { id = "pi_1", client_secret = "s" } })
  local answer = pay { amount = "1200", order = "42" }
  t.equal({ answer.status, answer.json.id }, { 201, "pi_1" })
  local request = stub.requests[1]
  t.equal(request.headers["idempotency-key"], "order-42")
  t.matches(request.headers.authorization, "^Basic ")
  t.equal(request.body,
    "amount=1200&currency=eur&metadata%5Border%5D=42&automatic_payment_methods%5Benabled%5D=true")
end)

t.test("a failure is tried again with the same key", function()
  local tries = 0
  local stub = host:stub("POST", url, function()
    tries = tries + 1
    return tries < 3 and { status = 500 } or { json = { id = "pi_1" } }
  end)
  local answer
  host.rest.spawn(function() answer = pay { amount = "1200", order = "42" } end)
  host:advance(10)
  t.equal(answer.status, 201)
  t.equal(#stub.requests, 3)
  t.equal(stub.requests[3].headers["idempotency-key"], "order-42")
end)

t.test("a card that is declined is no failure to try again", function()
  local stub = host:stub("POST", url, {
    status = 402, json = {
      error = { message = "Your card was declined.", decline_code = "insufficient_funds" },
    },
  })
  local answer = pay { amount = "1200", order = "42" }
  t.equal({ answer.status, answer.json.reason, #stub.requests }, { 402, "insufficient_funds", 1 })
end)

t.test("a wrong amount is not sent", function()
  for _, amount in ipairs { "12", "12.5", "many", "-100" } do
    t.equal(pay({ amount = amount, order = "42" }).status, 422, amount)
  end
  t.equal(pay({ amount = "1200" }).status, 422)
end)
