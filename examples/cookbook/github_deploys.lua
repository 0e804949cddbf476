-- Starts a deployment when GitHub says that a branch was pushed, and shows the last ones. Pushes that come
-- while one runs are deployed together afterwards.
--
--   GITHUB_WEBHOOK_SECRET=… resthost run github_deploys.lua
local rest = require "resthost"
local webhooks = require "resthost.webhooks"

local runner = rest.service { name = "runner", base_url = rest.env.RUNNER_URL or "http://127.0.0.1:8081" }
local branch = "refs/heads/" .. (rest.env.DEPLOY_BRANCH or "main")

runner:configure("**", function(c) c.timeouts.total = 600 end)

local waiting, is_running = nil, false
local history = rest.json.array {}

local function deploy()
  is_running = true
  while waiting do
    local push = waiting
    waiting = nil
    local entity, err = runner:resource("/deploy"):request("POST", { json = push }):await()
    table.insert(history, 1, {
      commit = push.commit, by = push.by, ok = entity ~= nil, reason = err and tostring(err),
    })
    history[21] = nil
  end
  is_running = false
end

local gateway = rest.gateway { expose = {} }

local secret = rest.env.GITHUB_WEBHOOK_SECRET or "a secret for trying out"
webhooks.route(gateway, "/github", { provider = "github", secret = secret }, function(event)
  local push = event.payload
  if event.type == "ping" then return { zen = push.zen } end
  if event.type ~= "push" or push.ref ~= branch or push.deleted then return { ignored = event.type } end
  waiting = { repository = push.repository.full_name, commit = push.after, by = push.pusher.name }
  if not is_running then rest.spawn(deploy) end
  return rest.response { status = 202, json = { commit = push.after } }
end)

gateway:route("GET", "/deployments", function() return history end)
