-- Watches the pods of a Kubernetes cluster, and posts to a webhook when a container keeps restarting.
--
--   resthost run kubernetes_restarts.lua --allow-read /var/run/secrets/kubernetes.io/serviceaccount
local rest = require "resthost"
local kubernetes = require "resthost.kubernetes"

-- In a pod its own cluster, else the one that `kubectl proxy` speaks to.
local is_pod = rest.env.KUBERNETES_SERVICE_HOST
local url = rest.env.KUBERNETES_URL or "http://127.0.0.1:8001"
local cluster = kubernetes.cluster(is_pod and {} or { url = url, token = false })
local alerts = rest.service { name = "alerts", base_url = rest.env.ALERT_URL or "http://127.0.0.1:8081" }

alerts:configure("**", function(c)
  c.retry = true
  c.limits = { rate = { requests = 10, per = 60 }, queue_timeout = 60 }
end)

local told = {}

-- One alert for a container and each three restarts more.
local function look_at(pod)
  local meta, status = pod.metadata, pod.status or {}
  for _, container in ipairs(status.containerStatuses or {}) do
    local key = ("%s/%s/%s"):format(meta.namespace, meta.name, container.name)
    local waiting = (container.state or {}).waiting
    local reason = waiting and waiting.reason
    if reason == "CrashLoopBackOff" and container.restartCount >= (told[key] or 0) + 3 then
      told[key] = container.restartCount
      local alert = { container = key, restarts = container.restartCount, message = waiting.message }
      local entity, err = alerts:resource("/alerts"):request("POST", {
        json = alert, idempotency_key = true,
      }):await()
      if not entity then
        rest.log.error("an alert could not be sent", { container = key, error = tostring(err) })
      end
    end
  end
end

local function forget(pod)
  local prefix = ("%s/%s/"):format(pod.metadata.namespace, pod.metadata.name)
  for key in pairs(told) do
    if key:sub(1, #prefix) == prefix then told[key] = nil end
  end
end

rest.spawn(function()
  local _, err = kubernetes.watch(cluster, "/api/v1/pods", function(event)
    if event.type == "DELETED" then return forget(event.object) end
    look_at(event.object)
  end)
  error(err)
end)
