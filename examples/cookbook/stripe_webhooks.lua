-- Takes Stripe's webhooks, each once, and tells an orders API that an order is paid.
--
--   STRIPE_WEBHOOK_SECRET=whsec_… resthost run stripe_webhooks.lua
local rest = require "resthost"
local webhooks = require "resthost.webhooks"

local orders = rest.service { name = "orders", base_url = rest.env.ORDERS_URL or "http://127.0.0.1:8081" }
local store = rest.store.open "payments.db"

orders:configure("**", function(c) c.retry = { attempts = 4 } end)

-- Stripe sends an event again for three days, until it is answered with 200. So an error is fine: nothing is
-- lost.
local function paid(intent)
  local order = intent.metadata.order
  local key = "paid " .. intent.id
  if store:get(key) then return true end
  local entity, err = orders:resource("/orders"):child(order):request("PATCH", {
    json = { state = "paid", amount = intent.amount_received, payment = intent.id },
    idempotency_key = intent.id,
  }):await()
  if not entity then return nil, err end
  store:set(key, rest.now(), { ttl = 30 * 86400 })
  return true
end

local handlers = {
  ["payment_intent.succeeded"] = paid,
  ["payment_intent.payment_failed"] = function(intent)
    local problem = intent.last_payment_error
    rest.log.warn("a payment failed", { order = intent.metadata.order, reason = problem and problem.message })
    return true
  end,
}

local gateway = rest.gateway { expose = {} }

local secret = rest.env.STRIPE_WEBHOOK_SECRET or "whsec_for_trying_out"
webhooks.route(gateway, "/stripe", { provider = "stripe", secret = secret }, function(event)
  local handler = handlers[event.payload.type]
  if not handler then return { ignored = event.payload.type } end
  local ok, err = handler(event.payload.data.object)
  if not ok then return nil, err end
  return { received = true }
end)
