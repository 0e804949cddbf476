local t = require "resthost.test"

local pods = "http://127.0.0.1:8001/api/v1/pods"
local host, alerts, rest

local function pod(name, restarts, reason)
  local state = reason and { waiting = { reason = reason, message = "back-off" } } or { running = {} }
  return {
    metadata = { name = name, namespace = "web", uid = name, resourceVersion = tostring(restarts) },
    status = { containerStatuses = { { name = "app", restartCount = restarts, state = state } } },
  }
end

local function start(list, events)
  local lines = {}
  for number, event in ipairs(events) do lines[number] = rest.json.encode(event) .. "\n" end
  host:stub("GET", pods .. "?limit*", {
    json = { kind = "PodList", metadata = { resourceVersion = "1" }, items = rest.json.array(list) },
  })
  host:stub("GET", pods .. "?*watch=1", { body = "", gated = true })
  host:stub("GET", pods .. "?*resourceVersion=1&*", { body = table.concat(lines) })
  host:advance(5)
end

t.before_each(function()
  host = t.load "kubernetes_restarts.lua"
  rest = host.rest
  alerts = host:stub("POST", "http://127.0.0.1:8081/alerts", {})
end)

t.test("a container that keeps restarting is told once, and again after three more restarts", function()
  local function modified(restarts)
    return { type = "MODIFIED", object = pod("a", restarts, "CrashLoopBackOff") }
  end
  start({ pod("a", 2, "CrashLoopBackOff"), pod("b", 9) }, {
    modified(3), modified(4), modified(5), modified(6),
  })
  t.equal(#alerts.requests, 2)
  t.equal(rest.json.decode(alerts.requests[1].body), {
    container = "web/a/app", restarts = 3, message = "back-off",
  })
  t.equal(rest.json.decode(alerts.requests[2].body).restarts, 6)
end)

t.test("a pod that is replaced begins anew", function()
  local deleted = { type = "DELETED", object = pod("a", 7) }
  local added = { type = "ADDED", object = pod("a", 3, "CrashLoopBackOff") }
  start({ pod("a", 7, "CrashLoopBackOff") }, { deleted, added })
  t.equal(#alerts.requests, 2)
end)
