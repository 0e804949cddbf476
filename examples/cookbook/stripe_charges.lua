-- Charges a card with Stripe, once, however often the request has to be sent.
--
--   resthost run stripe_charges.lua
--   curl -d amount=1200 -d order=42 http://127.0.0.1:8080/pay
local rest = require "resthost"

local stripe = rest.service { name = "stripe", base_url = rest.env.STRIPE_URL or "https://api.stripe.com/v1" }
stripe:use("basic", { username = rest.env.STRIPE_KEY or "sk_test_none", password = "" })

-- With an Idempotency-Key a payment may be sent again after a failure of the network.
stripe:configure("**", function(c)
  c.headers["Stripe-Version"] = "2024-06-20"
  c.retry = { attempts = 4, base = 0.5 }
  c.timeouts.total = 60
end)

local gateway = rest.gateway { expose = {} }

gateway:route("POST", "/pay", function(request)
  local form = request.form or {}
  local amount, order = math.tointeger(tonumber(form.amount)), form.order
  if not amount or amount < 50 or not order then
    return rest.response {
      status = 422, json = { error = "'amount' in cents, from 50 on, and 'order' are needed" },
    }
  end
  local entity, err = stripe:resource("/payment_intents"):request("POST", {
    form = {
      { "amount", tostring(amount) },
      { "currency", "eur" },
      { "metadata[order]", order },
      { "automatic_payment_methods[enabled]", "true" },
    },
    idempotency_key = "order-" .. order,
  }):await()
  if entity then
    return rest.response { status = 201, json = { id = entity.json.id, secret = entity.json.client_secret } }
  end
  local problem = err.json.error
  if err.http_status_code == 402 and problem then
    return rest.response { status = 402, json = { error = problem.message, reason = problem.decline_code } }
  end
  return nil, err
end)
