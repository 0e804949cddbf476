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

-- Each takes a request and the options. It gives the header that has the signature, and a table with
-- `signatures`, the `signed` text, `id` and `type`; `is_timed` when the signature covers a timestamp. `read`
-- adds what the body says, which is decoded when the signature is known to be right.
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
function providers.stripe(request)
  local header = request.headers["Stripe-Signature"]
  local time = (header or ""):match "^%s*t=([^,]*)" or (header or ""):match ",%s*t=([^,]*)"
  return "Stripe-Signature", {
    signatures = items(header, ", ", "v1=", hex), signed = ("%s.%s"):format(time, request.body),
    is_timed = true, timestamp = timestamp(time),
    read = function(facts, payload) facts.id, facts.type = field(payload, "id"), field(payload, "type") end,
  }
end

-- https://docs.slack.dev/authentication/verifying-requests-from-slack
function providers.slack(request)
  local headers = request.headers
  local time = headers["X-Slack-Request-Timestamp"]
  return "X-Slack-Signature", {
    signatures = items(headers["X-Slack-Signature"], ", ", "v0=", hex),
    signed = ("v0:%s:%s"):format(time, request.body), is_timed = true, timestamp = timestamp(time),
    read = function(facts, payload)
      local kind = field(payload, "type")
      facts.id, facts.type = field(payload, "event_id"), field(payload, "event", "type") or kind
      facts.challenge = kind == "url_verification" and field(payload, "challenge") or nil
    end,
  }
end

-- https://www.standardwebhooks.com
function providers.standard(request)
  local headers = request.headers
  local id, time = headers["webhook-id"], headers["webhook-timestamp"]
  return "webhook-signature", {
    signatures = items(headers["webhook-signature"], " ", "v1,", base64),
    signed = ("%s.%s.%s"):format(id, time, request.body), is_timed = true, timestamp = timestamp(time),
    id = id, read = function(facts, payload) facts.type = field(payload, "type") end,
  }
end

function providers.hmac(request, options)
  local header, prefix = options.header or "X-Signature", options.algorithm .. "="
  local function digest(text)
    if text:sub(1, #prefix) == prefix then text = text:sub(#prefix + 1) end
    return hex(text) or base64(text)
  end
  return header, {
    signatures = items(request.headers[header], ", ", "", digest), signed = request.body,
    id = options.id_header and request.headers[options.id_header],
    read = function(facts, payload) facts.type = field(payload, "type") end,
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

--- The facts of a delivery whose signature is right and its decoded body, or nil and the reason.
function webhook_signatures.verify(request, keys, options)
  local header, facts = providers[options.provider](request, options)
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
  local payload = request.json
  if facts.read then facts:read(payload) end
  return facts, payload
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
