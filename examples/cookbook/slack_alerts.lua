-- Sends alerts to Slack, one a second at most, and equal ones once in ten minutes.
--
--   resthost run slack_alerts.lua
--   curl -d text='Disk is full' http://127.0.0.1:8080/alert
local rest = require "resthost"

local slack = rest.service { name = "slack", base_url = "https://slack.com/api" }
local channel = rest.env.SLACK_CHANNEL or "#alerts"

slack:configure("**", function(c)
  if rest.env.SLACK_TOKEN then c.headers["Authorization"] = "Bearer " .. rest.env.SLACK_TOKEN end
  c.limits = { rate = { requests = 1, per = 1 }, queue = 100, queue_timeout = 60 }
  c.retry = { attempts = 3, cap = 60, when = function(err) return err.http_status_code == 429 or nil end }
end)

-- Slack answers errors with the status 200 and "ok": false.
slack:configure_transformer("/**", { methods = "POST" }, function(answer)
  if answer.ok then return answer end
  error(rest.error {
    user_message = "Slack refused the message", cause = { type = "slack", message = answer.error },
  })
end)

local function send(text)
  return slack:resource("/chat.postMessage"):request("POST", {
    json = { channel = channel, text = text },
    idempotency_key = true,
  }):await()
end

local gateway = rest.gateway { expose = {} }

gateway:route("POST", "/alert", function(request)
  local text = request.form and request.form.text
  if not text then return rest.response { status = 422, json = { error = "'text' is missing" } } end
  local key = "sent " .. rest.hex.encode(rest.crypto.sha256(text))
  if rest.store:get(key) then return rest.response { status = 202, json = { sent = false } } end
  rest.store:set(key, true, { ttl = 600 })
  local entity, err = send(text)
  if entity then return rest.response { status = 202, json = { sent = true } } end
  rest.store:delete(key)
  return nil, err
end)
