-- Collects measurements, and writes them to InfluxDB together, every ten seconds and before the end.
--
--   resthost run influx_writes.lua
--   curl -d '{"sensor":"cellar","temperature":11.5}' http://127.0.0.1:8080/measurements
local rest = require "resthost"

local influx = rest.service { name = "influx", base_url = rest.env.INFLUX_URL or "http://127.0.0.1:8086" }
local waiting, most, lost = {}, 10000, 0

-- InfluxDB 1 has databases in place of buckets.
local database = rest.env.INFLUX_DATABASE
local bucket = { org = "home", bucket = "sensors", precision = "ms" }
local target = influx:resource("/api/v2/write"):with_params(bucket)
if database then target = influx:resource("/write"):with_params { db = database, precision = "ms" } end

influx:configure("**", function(c)
  if rest.env.INFLUX_TOKEN then c.headers["Authorization"] = "Token " .. rest.env.INFLUX_TOKEN end
end)

-- Names in the line protocol escape spaces, commas and equals signs, and can't end with a backslash.
local function is_name(text) return type(text) == "string" and text:find "[^\\]$" end
local function escaped(text) return (text:gsub("[ ,=]", "\\%0"):gsub("\n", "\\n")) end

local function line_of(measurement)
  local sensor, time = escaped(measurement.sensor), math.floor(rest.now() * 1000)
  return ("temperature,sensor=%s value=%.6g %d"):format(sensor, measurement.temperature, time)
end

local function flush()
  if #waiting == 0 then return end
  local batch = waiting
  waiting = {}
  local entity, err = target:request("POST", { text = table.concat(batch, "\n") }):await()
  if entity then return end
  rest.log.warn("measurements could not be written", { count = #batch, error = tostring(err) })
  if err.http_status_code == 400 then
    lost = lost + #batch
    return
  end
  -- They go before those that came meanwhile; the oldest are dropped when there are too many.
  table.move(waiting, 1, #waiting, #batch + 1, batch)
  local surplus = math.max(0, #batch - most)
  lost = lost + surplus
  waiting = table.move(batch, surplus + 1, #batch, 1, {})
end

rest.every(10, flush)
rest.on_reload(flush)
rest.on_shutdown(flush)

local gateway = rest.gateway { expose = {} }
gateway:route("POST", "/measurements", function(request)
  local body = request.json
  if type(body) ~= "table" or not is_name(body.sensor) or type(body.temperature) ~= "number" then
    return rest.response { status = 422, json = { error = "'sensor' is a name, 'temperature' a number" } }
  end
  if #waiting >= most then return rest.response { status = 503, headers = { ["Retry-After"] = "10" } } end
  waiting[#waiting + 1] = line_of(body)
  return rest.response { status = 202, json = { waiting = #waiting, lost = lost } }
end)
