-- Silences the alerts of a machine while somebody works on it, and lists the alerts that are left
-- (Alertmanager).
--
--   resthost run alert_silences.lua
--   curl -d '{"instance":"db1","minutes":30,"by":"ada"}' http://127.0.0.1:8080/maintenance
--   curl http://127.0.0.1:8080/alerts
local rest = require "resthost"

local address = rest.env.ALERTMANAGER_URL or "http://127.0.0.1:9093"
local manager = rest.service { name = "alertmanager", base_url = address .. "/api/v2" }
local alerts = manager:resource("/alerts"):with_params { active = true, silenced = false, inhibited = false }
local most_minutes = 24 * 60

manager:configure("**", function(c)
  c.timeouts.total = 10
  c.expiration_time = 15
end)

local function refusal(text) return rest.response { status = 422, json = { error = text } } end
local function time(seconds) return os.date("!%Y-%m-%dT%H:%M:%SZ", math.floor(seconds)) end

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/alerts", function()
  local content, err = alerts:get()
  if not content then return nil, err end
  local list = rest.json.array {}
  for number, one in ipairs(content) do
    local labels = one.labels
    list[number] = { alert = labels.alertname, instance = labels.instance, since = one.startsAt }
  end
  return list
end)

gateway:route("POST", "/maintenance", function(request)
  local work = request.json
  if type(work) ~= "table" or type(work.instance) ~= "string" or type(work.by) ~= "string" then
    return refusal "'instance' names a machine, and 'by' a person"
  end
  local minutes = math.tointeger(work.minutes)
  if not minutes or minutes < 1 or minutes > most_minutes then
    return refusal "'minutes' is a number from 1 to 1440"
  end
  local finish = time(rest.now() + minutes * 60)
  local entity, err = manager:resource("/silences"):request("POST", { json = {
    matchers = { { name = "instance", value = work.instance, isRegex = false } },
    startsAt = time(rest.now()), endsAt = finish, createdBy = work.by, comment = "maintenance",
  } }):await()
  if not entity then return nil, err end
  alerts:invalidate()
  return rest.response { status = 201, json = { id = entity.json.silenceID, finish = finish } }
end)

gateway:route("DELETE", "/maintenance/{id}", function(request)
  local entity, err = manager:resource("/silence"):child(request.params.id):request("DELETE"):await()
  alerts:invalidate()
  return entity and rest.response { status = 204 } or nil, err
end)
