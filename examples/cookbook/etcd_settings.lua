-- Serves settings that are kept in etcd, follows their changes, and does a job on one of several hosts only.
--
--   resthost run etcd_settings.lua
--   curl http://127.0.0.1:8080/settings
local rest = require "resthost"
local etcd = require "resthost.etcd"

local store = rest.service { name = "etcd", base_url = rest.env.ETCD_URL or "http://127.0.0.1:2379" }
local folder = "settings/"
local settings = {}

-- Reads all settings, and follows changes from the next revision on. After too long a pause it reads again.
rest.spawn(function()
  while true do
    local entries, revision = etcd.range(store, folder)
    if entries then
      settings = {}
      for _, entry in ipairs(entries) do settings[entry.key:sub(#folder + 1)] = entry.value end
      local _, err = etcd.watch(store, folder, function(change)
        settings[change.entry.key:sub(#folder + 1)] = change.type == "put" and change.entry.value or nil
      end, { prefix = true, revision = revision + 1 })
      rest.log.warn("the settings are read again", { reason = tostring(err) })
    end
    rest.sleep(5)
  end
end)

-- The host that writes the key first has the job, until its lease ends; it keeps the lease alive.
local lease
local function is_leader()
  if lease and etcd.keep_alive(store, lease) then return true end
  lease = nil
  local granted = etcd.grant(store, 15)
  if not granted then return false end
  if etcd.put(store, "leader", "resthost", { if_revision = 0, lease = granted }) then
    lease = granted
    return true
  end
  etcd.revoke(store, granted)
  return false
end

local runs = 0
rest.every(5, function()
  if is_leader() then runs = runs + 1 end
end)

local gateway = rest.gateway { expose = {} }
gateway:route("GET", "/settings", function() return rest.json.object(settings) end)
gateway:route("GET", "/runs", function() return { runs = runs, leader = lease ~= nil } end)
