-- Takes what jobs of cron report, hands it to Prometheus (Pushgateway), and lists the jobs that are overdue.
--
--   resthost run job_metrics.lua
--   curl -d '{"seconds":12.5,"rows":300}' http://127.0.0.1:8080/jobs/backup
--   curl 'http://127.0.0.1:8080/overdue?hours=25'
local rest = require "resthost"

local address = rest.env.PUSHGATEWAY_URL or "http://127.0.0.1:9091"
local push = rest.service { name = "pushgateway", base_url = address }
local most_values = 50

-- A PUT replaces all values of a job, so it may be sent again.
push:configure("**", function(c)
  c.retry = { attempts = 3 }
  c.timeouts.total = 10
  c.expiration_time = 0
end)

local function refusal(text) return rest.response { status = 422, json = { error = text } } end

-- The values in the text format of Prometheus, or nil and a sentence.
local function exposition(values)
  local lines = {}
  for name, value in pairs(values) do
    if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" or math.type(value) == nil then
      return nil, "each value is a number, and has a name of letters, digits and _"
    end
    lines[#lines + 1] = ("# TYPE job_%s gauge\njob_%s %.17g\n"):format(name, name, value)
  end
  if #lines == 0 or #lines > most_values then return nil, "a report has 1 to 50 values" end
  table.sort(lines)
  return table.concat(lines)
end

local gateway = rest.gateway { expose = {} }

gateway:route("POST", "/jobs/{job}", function(request)
  if type(request.json) ~= "table" then return refusal "a report is an object in JSON" end
  local text, problem = exposition(request.json)
  if not text then return refusal(problem) end
  local group = push:resource("/metrics/job"):child(request.params.job)
  local options = { body = text, content_type = "text/plain; version=0.0.4" }
  local entity, err = group:request("PUT", options):await()
  return entity and rest.response { status = 204 } or nil, err
end)

gateway:route("GET", "/overdue", function(request)
  local hours = tonumber(request.query.hours or 25)
  if not hours then return refusal "'hours' is a number" end
  local answer, err = push:resource("/api/v1/metrics"):get()
  if not answer then return nil, err end
  local list, now = rest.json.array {}, rest.now()
  for _, group in ipairs(answer.data) do
    local age = now - tonumber(group.push_time_seconds.metrics[1].value)
    if age > hours * 3600 then list[#list + 1] = { job = group.labels.job, hours = age // 36 / 100 } end
  end
  return list
end)
