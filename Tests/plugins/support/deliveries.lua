-- Webhooks as their senders send them, and a host that receives them.
local rest = require "resthost"
local t = require "resthost.test"

local deliveries = {}

deliveries.NOW = 1000000 -- the time of a host at first

function deliveries.hex_hmac(secret, text) return rest.hex.encode(rest.crypto.hmac_sha256(secret, text)) end

--- A host with one route, `/hook`, which keeps what it gets in the store.
function deliveries.receiving(options, body)
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

--- How often the function of the route has run.
function deliveries.count(host) return host.rest.store:get "count" or 0 end

function deliveries.post(host, body, headers)
  return host:request("POST", "/hook", { body = body, headers = headers })
end

--- The headers of GitHub.
function deliveries.github(body, id, secret)
  return {
    ["X-Hub-Signature-256"] = "sha256=" .. deliveries.hex_hmac(secret or "It's a Secret to Everybody", body),
    ["X-GitHub-Delivery"] = id, ["X-GitHub-Event"] = "push", ["Content-Type"] = "application/json",
  }
end

deliveries.GITHUB = [[{ provider = "github", secret = "It's a Secret to Everybody" }]]

--- The headers of Stripe.
function deliveries.stripe(body, time, secret)
  local signature = deliveries.hex_hmac(secret or "whsec_of_stripe", ("%d.%s"):format(time, body))
  local header = ("t=%d,v1=%s,v0=00"):format(time, signature)
  return { ["Stripe-Signature"] = header, ["Content-Type"] = "application/json" }
end

deliveries.STRIPE = [[{ provider = "stripe", secret = "whsec_of_stripe" }]]

deliveries.KEY, deliveries.OTHER_KEY = ("k"):rep(24), ("o"):rep(24)
deliveries.WHSEC = "whsec_" .. rest.base64.encode(deliveries.KEY)
deliveries.OTHER_WHSEC = "whsec_" .. rest.base64.encode(deliveries.OTHER_KEY)

--- The headers of Standard Webhooks, signed with each of the keys.
function deliveries.standard(body, id, time, ...)
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

deliveries.STANDARD = ([[{ provider = "standard", secret = "%s" }]]):format(deliveries.WHSEC)

return deliveries
