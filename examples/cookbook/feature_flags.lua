-- Decides for each user which features are on. The flags come from a server; the last ones are used while it
-- is away, even after a restart.
--
--   resthost run feature_flags.lua
--   curl http://127.0.0.1:8080/flags/ada
local rest = require "resthost"

local source = rest.service { name = "flags", base_url = rest.env.FLAGS_URL or "http://127.0.0.1:8081" }
local flags = source:resource "/flags"

source:configure("/flags", function(c)
  c.expiration_time = 30
  c.refresh_while_observed = 30
  c.stale_if_error = 7 * 86400
  c.pipeline.cleanup.cache = rest.cache.sqlite { path = "flags.db" }
end)

-- Observed, so that it is always fresh before somebody asks.
flags:add_observer(function(_, event)
  if event == "error" then rest.log.warn("the flags are old", { error = tostring(flags.latest_error) }) end
end)
rest.spawn(function() flags:load_if_needed() end)

-- The same number from 0 to 99 for a user and a flag, always.
local function bucket(flag, user)
  local digest = rest.crypto.sha256(flag .. "\0" .. user)
  return (">I4"):unpack(digest) % 100
end

local function is_on(name, flag, user)
  if flag.enabled ~= true then return false end
  for _, one in ipairs(flag.users or {}) do
    if one == user then return true end
  end
  return bucket(name, user) < (flag.percent or 0)
end

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/flags/{user}", function(request)
  local list = flags.latest_data and flags.json
  if not list then
    local err
    list, err = flags:get()
    if not list then return nil, err end
  end
  local result = {}
  for name, flag in pairs(list) do result[name] = is_on(name, flag, request.params.user) end
  return rest.json.object(result)
end)
