-- Watches rates in Prometheus, and tells a page and a log what is too high.
--
--   resthost run prometheus_report.lua
--   curl http://127.0.0.1:8080/report
local rest = require "resthost"
local prometheus = require "resthost.prometheus"

local address = rest.env.PROMETHEUS_URL or "http://127.0.0.1:9090"
local metrics = rest.service { name = "prometheus", base_url = address }
metrics:configure("**", function(c) c.expiration_time = 15 end)

local rules = {
  { name = "scrapes that fail", expression = "count by (job) (up == 0)", limit = 0 },
  { name = "goroutines", expression = "sum by (job) (go_goroutines)", limit = 5000 },
}

-- The series of a rule that are above its limit.
local function broken(rule)
  local series, err = prometheus.query(metrics, rule.expression)
  if not series then return nil, err end
  local list = rest.json.array {}
  for _, one in ipairs(series) do
    if one.value > rule.limit then list[#list + 1] = { job = one.labels.job, value = one.value } end
  end
  return list
end

local function report()
  local result = rest.json.array {}
  for number, rule in ipairs(rules) do
    local above, err = broken(rule)
    result[number] = { rule = rule.name, above = above, error = err and tostring(err) }
  end
  return result
end

rest.every("* * * * *", function()
  for _, one in ipairs(report()) do
    for _, series in ipairs(one.above or {}) do
      rest.log.warn(one.rule, { job = series.job, value = series.value })
    end
  end
end)

local gateway = rest.gateway { expose = {} }
gateway:route("GET", "/report", report)

-- The last hour of one expression, in steps of a minute: for a chart.
gateway:route("GET", "/history", function(request)
  local expression = request.query.expression or "sum(go_goroutines)"
  local now = rest.now() // 60 * 60
  local series, err = prometheus.range(metrics, expression, { start = now - 3600, stop = now, step = 60 })
  for _, one in ipairs(series or {}) do
    for _, point in ipairs(one.values) do
      -- JSON has neither NaN nor infinity.
      if point.value ~= point.value or math.abs(point.value) == math.huge then point.value = rest.null end
    end
  end
  return series, err
end)
