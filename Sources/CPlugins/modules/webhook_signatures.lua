-- How the senders of webhooks sign them. Helps the plugin webhooks.
local rest = require "resthost"

local webhook_signatures = {}

local MOST_SIGNATURES = 20 -- of one request

local function hex(text) return #text % 2 == 0 and rest.hex.decode(text) or nil end
local function base64(text) return (rest.base64.decode(text)) end

-- The decoded values of the items in a header that begin with a prefix.
local function items(header, separators, prefix, decode)
  local found = {}
  for item in (header or ""):gmatch("[^" .. separators .. "]+") do
    if item:sub(1, #prefix) == prefix then found[#found + 1] = decode(item:sub(#prefix + 1)) end
    if #found == MOST_SIGNATURES then break end
  end
  return found
end

local function timestamp(text)
  if not text or not text:find "^%d+$" or #text > 12 then return nil end
  return math.tointeger(text)
end

local function field(value, ...)
  for _, name in ipairs { ... } do value = type(value) == "table" and value[name] or nil end
  return type(value) == "string" and value or nil
end

-- Each takes a request, its decoded body and the options. It gives the header that has the signature, and in
-- a table `signatures`, the `signed` text, and what the sender says about the event; `is_timed` when the
-- signature covers a timestamp.
local providers = {}

-- https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
function providers.github(request)
  local headers = request.headers
  return "X-Hub-Signature-256", {
    signatures = items(headers["X-Hub-Signature-256"], ", ", "sha256=", hex), signed = request.body,
    id = headers["X-GitHub-Delivery"], type = headers["X-GitHub-Event"],
  }
end

-- https://docs.stripe.com/webhooks#verify-manually
function providers.stripe(request, payload)
  local header = request.headers["Stripe-Signature"]
  local time = (header or ""):match "^%s*t=([^,]*)" or (header or ""):match ",%s*t=([^,]*)"
  return "Stripe-Signature", {
    signatures = items(header, ", ", "v1=", hex), signed = ("%s.%s"):format(time, request.body),
    is_timed = true, timestamp = timestamp(time), id = field(payload, "id"), type = field(payload, "type"),
  }
end

-- https://docs.slack.dev/authentication/verifying-requests-from-slack
function providers.slack(request, payload)
  local headers = request.headers
  local time = headers["X-Slack-Request-Timestamp"]
  return "X-Slack-Signature", {
    signatures = items(headers["X-Slack-Signature"], ", ", "v0=", hex),
    signed = ("v0:%s:%s"):format(time, request.body), is_timed = true, timestamp = timestamp(time),
    id = field(payload, "event_id"), type = field(payload, "event", "type") or field(payload, "type"),
    challenge = field(payload, "type") == "url_verification" and field(payload, "challenge") or nil,
  }
end

-- https://www.standardwebhooks.com
function providers.standard(request, payload)
  local headers = request.headers
  local id, time = headers["webhook-id"], headers["webhook-timestamp"]
  return "webhook-signature", {
    signatures = items(headers["webhook-signature"], " ", "v1,", base64),
    signed = ("%s.%s.%s"):format(id, time, request.body), is_timed = true, timestamp = timestamp(time),
    id = id, type = field(payload, "type"),
  }
end

function providers.hmac(request, payload, options)
  local header = options.header or "X-Signature"
  local signatures = items(request.headers[header], ", ", options.algorithm .. "=", hex)
  if #signatures == 0 then signatures = items(request.headers[header], ", ", "", hex) end
  if #signatures == 0 then signatures = items(request.headers[header], ", ", "", base64) end
  return header, {
    signatures = signatures, signed = request.body,
    id = options.id_header and request.headers[options.id_header], type = field(payload, "type"),
  }
end

--- The bytes of secrets, or nil and a message.
function webhook_signatures.keys(secret, provider)
  local keys = {}
  for place, text in ipairs(type(secret) == "table" and secret or { secret }) do
    if text == "" then return nil, "a secret is empty" end
    if #text >= 6 and #text <= 65536 then rest.secret(text) end
    keys[place] = text
    if provider == "standard" then
      keys[place] = base64(text:gsub("^whsec_", ""))
      if not keys[place] or #keys[place] < 16 then
        return nil, "a secret of Standard Webhooks is 'whsec_' and 16 bytes or more in base64"
      end
    end
  end
  if #keys == 0 then return nil, "there is no secret" end
  return keys
end

--- The facts of a delivery whose signature is right, or nil and the reason.
function webhook_signatures.verify(request, payload, keys, options)
  local header, facts = providers[options.provider](request, payload, options)
  if not request.headers[header] then return nil, ("the header %s is missing"):format(header) end
  local algorithm = options.provider == "hmac" and options.algorithm or "sha256"
  local is_right = false
  for place, key in ipairs(keys) do
    local expected = rest.crypto.hmac(algorithm, key, facts.signed)
    -- The same for all signatures of a delivery, so that one that leaves some out is still known.
    if place == 1 then facts.fingerprint = expected end
    for _, signature in ipairs(facts.signatures) do
      if rest.crypto.constant_time_equal(signature, expected) then is_right = true end
    end
  end
  if not is_right then return nil, ("the signature in %s is wrong"):format(header) end
  if facts.is_timed and not facts.timestamp then return nil, "the timestamp is no number" end
  return facts
end

--- The header `webhook-signature` of Standard Webhooks.
function webhook_signatures.sign(keys, id, time, body)
  local signatures = {}
  for place, key in ipairs(keys) do
    local signature = rest.crypto.hmac_sha256(key, ("%s.%d.%s"):format(id, time, body))
    signatures[place] = "v1," .. rest.base64.encode(signature)
  end
  return table.concat(signatures, " ")
end

return webhook_signatures
