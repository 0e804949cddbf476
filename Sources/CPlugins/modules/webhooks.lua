-- Receives webhooks whose signature is right, each once, and sends signed ones.
--
--   local webhooks = require "resthost.webhooks"
--   local options = { provider = "github", secret = rest.env.HOOK_SECRET }
--   webhooks.route(gateway, "/github", options, function(event)
--     print(event.type, event.payload.action)
--   end)
local rest = require "resthost"
local dates = require "resthost.dates"
local plugin = require "resthost.plugin"
local signatures = require "resthost.webhook_signatures"

local secret_option = {
  name = "secret", type = "string | string[]", required = true, secret = true,
  description = "The secret, or several of which one must fit, while a secret is replaced.",
}

local function keys_of(options, provider, owner)
  local keys, problem = signatures.keys(options.secret, provider)
  if not keys then plugin.blame(("bad option 'secret' to '%s' (%s)"):format(owner, problem)) end
  return keys
end

local function refusal(status, message)
  return rest.response { status = status, json = { error = message } }
end

local function route(gateway, path, options, fn)
  if type(fn) ~= "function" then plugin.blame "'webhooks.route' takes a function behind its options" end
  if options.provider ~= "hmac" then
    for _, name in ipairs { "header", "id_header" } do
      if options[name] then
        plugin.blame(("option '%s' of 'webhooks.route' is for provider = \"hmac\""):format(name))
      end
    end
  end
  local keys = keys_of(options, options.provider, "webhooks.route")
  local running = {} -- until when deliveries keep out their like, while `fn` works on them

  local function receive(request)
    local facts, payload = signatures.verify(request, keys, options)
    if not facts then return refusal(401, payload) end
    local now = rest.now()
    local age = facts.timestamp and now - facts.timestamp or 0
    if math.abs(age) > options.tolerance then
      return refusal(400, ("the timestamp differs by %d s from this clock, and %d s are allowed"):format(
        math.floor(math.abs(age)), options.tolerance))
    end
    if facts.challenge then return rest.response { text = facts.challenge } end

    local key = ("webhooks %s %s"):format(path, rest.hex.encode(
      rest.crypto.sha256((facts.id or "") .. "\n" .. facts.fingerprint)))
    if rest.store:get(key) or (running[key] or 0) > now then
      return refusal(409, ("the delivery %s has come before"):format(facts.id or "with this signature"))
    end
    for other, ends in pairs(running) do
      if ends <= now then running[other] = nil end
    end
    running[key] = now + options.tolerance
    local guard <close> = setmetatable({}, { __close = function() running[key] = nil end })

    local answer, err = fn {
      provider = options.provider, id = facts.id, type = facts.type, timestamp = facts.timestamp or now,
      payload = payload, body = request.body, request = request,
    }
    if answer == nil and err ~= nil then
      rest.log.warn("a webhook was not processed", { path = path, id = facts.id, error = tostring(err) })
      return refusal(500, "the delivery was not processed")
    end
    -- From then on its timestamp is too old.
    local is_kept, full = rest.store:set(key, true, { ttl = options.tolerance - age + 1 })
    if not is_kept then
      rest.log.warn("a replay of a webhook would not be noticed", { path = path, error = full })
    end
    return answer
  end

  return gateway:route("POST", path, receive)
end

-- Errors of requests that would fail in the same way again.
local is_final = {
  invalid_url = true, invalid_request_method = true, invalid_header = true, script_error = true,
  script_limit = true, request_cancelled = true,
}

-- A definition that posts to a URL, to a service's base URL, or as the given one says.
local function definition_of(target)
  if type(target) == "string" then return rest.request("POST", target) end
  local is_definition = type(target) == "userdata" and pcall(function() return target.with_configuration end)
  if is_definition then return target end
  local is_service = type(target) == "userdata" and pcall(function() return target.base_url end)
  if is_service then return target:define("POST", "") end
  plugin.blame(("'webhooks.send' takes a URL, a service or a definition, not a %s"):format(type(target)))
end

-- Seconds until the next attempt.
local function pause(number, retry, err)
  local asked = err and err.entity and err.entity.headers["Retry-After"]
  local time = dates.of_http(asked)
  local seconds = time and math.max(time - rest.now(), 0) or tonumber(asked)
  local wait = seconds and seconds >= 0 and seconds or retry.base * 2 ^ (number - 1)
  return math.min(wait, retry.cap)
end

local function send(target, event, options)
  local keys = keys_of(options, "standard", "webhooks.send")
  local body = type(event) == "string" and event or rest.json.encode(event)
  local id = options.id or "msg_" .. rest.crypto.uuid():gsub("-", "")
  if not id:find "^[%w_-]+$" then
    plugin.blame(("bad option 'id' to 'webhooks.send' ('%s' has not only letters, digits, _ and -)"):format(
      id))
  end
  local retry = options.retry or { attempts = 5, base = 1, cap = 60 }
  local definition = definition_of(target):with_configuration(function(c)
    c.redirects.follow = false -- a redirect would make a GET of it
  end)
  for number = 1, retry.attempts do
    local time = math.floor(rest.now())
    local entity, err = definition:adding({
      body = body, content_type = "application/json",
      headers = {
        ["webhook-id"] = id, ["webhook-timestamp"] = tostring(time),
        ["webhook-signature"] = signatures.sign(keys, id, time, body),
      },
    }):send():await()
    -- A body that can't be parsed is an error with the status of a success.
    local status = entity and entity.status or err and err.http_status_code
    if status and status >= 200 and status < 300 then
      return { id = id, status = status, attempts = number }
    end
    err = err or rest.error {
      user_message = ("The receiver of the webhook answers %d, which counts as a failure."):format(status),
      http_status_code = status, entity = entity,
    }
    local is_over = status == 410 or err.cause and is_final[err.cause.type] or number == retry.attempts
    if is_over then return nil, err end
    rest.sleep(pause(number, retry, err))
  end
end

return plugin {
  name = "webhooks",
  description = "Receives webhooks whose signature is right, each once, and sends signed ones.",
  functions = {
    {
      name = "route",
      signature = "(gateway: gateway, path: string, options: { ... }, fn: function(event: table) -> any) \z
        -> gateway",
      description = "Adds a route for POST that calls `fn` with each webhook: a table with `id`, `type`, \z
        `timestamp`, `payload`, `body`, `provider` and `request`. A wrong signature gets 401, an old \z
        timestamp 400, and a replay, the same ID with the same signature within the tolerance, 409. \z
        When `fn` fails, the answer is 500, and the sender may try again.",
      options_at = 3,
      options = {
        {
          name = "provider", type = '"github" | "stripe" | "slack" | "standard" | "hmac"', required = true,
          description = "The sender; `standard` is Standard Webhooks, `hmac` a digest in a header.",
        },
        secret_option,
        {
          name = "tolerance", type = "integer", default = 300, least = 1, most = 86400, unit = "seconds",
          description = "How far a timestamp may be from this clock, and how long replays are noticed.",
        },
        {
          name = "header", type = "string",
          description = "For `hmac`: the header with the signature in hexadecimal digits or base64, with or \z
            without `sha256=`; default: `X-Signature`.",
        },
        { name = "id_header", type = "string", description = "For `hmac`: the header with an ID." },
        {
          name = "algorithm", type = '"sha256" | "sha512" | "sha1"', default = "sha256",
          description = "For `hmac`: the hash.",
        },
      },
      call = route,
    },
    {
      name = "send",
      signature = "(target: string | service | definition, event: string | table, options: { ... }) -> \z
        { id: string, status: integer, attempts: integer } | nil, error",
      description = "Posts an event, signed as Standard Webhooks says, and waits for the answer. Each \z
        attempt has the same ID and a timestamp of its own. Every failure is tried again but 410.",
      options_at = 3,
      options = {
        secret_option,
        { name = "id", type = "string", description = "The ID of the event; default: a random one." },
        {
          name = "retry", type = "{ ... }", description = "How often it is sent; default: 5 attempts.",
          fields = {
            {
              name = "attempts", type = "integer", default = 5, least = 1, most = 100,
              description = "Attempts in all.",
            },
            {
              name = "base", type = "number", default = 1, least = 0, unit = "seconds",
              description = "The first wait; it doubles from one to the next.",
            },
            {
              name = "cap", type = "number", default = 60, least = 0, unit = "seconds",
              description = "The longest wait, that of `Retry-After` included.",
            },
          },
        },
      },
      call = send,
    },
  },
}
