local t = require "resthost.test"

local base = "http://127.0.0.1:9091"
local host, stub

t.before_each(function()
  host = t.load "job_metrics.lua"
  stub = host:stub("PUT", base .. "/metrics/job/*", { status = 200 })
end)

local function report(job, values) return host:request("POST", "/jobs/" .. job, { json = values }) end

t.test("a report becomes values of Prometheus", function()
  t.equal(report("backup", { seconds = 12.5, rows = 300 }).status, 204)
  t.equal(stub.requests[1].url, base .. "/metrics/job/backup")
  t.equal(stub.requests[1].body,
    "# TYPE job_rows gauge\njob_rows 300\n# TYPE job_seconds gauge\njob_seconds 12.5\n")
end)

t.test("a report is sent again when the gateway fails", function()
  local failures = host:stub("PUT", base .. "/metrics/job/*", { status = 503 })
  host.rest.spawn(function() report("backup", { rows = 1 }) end)
  host:advance(10)
  t.equal(#failures.requests, 3)
end)

t.test("a report that Prometheus would not understand is refused", function()
  for _, values in ipairs { { ["a b"] = 1 }, { rows = "many" }, { rows = true }, {}, { ["x\ny"] = 1 } } do
    t.equal(report("backup", values).status, 422)
  end
  t.equal(#stub.requests, 0)
end)

t.test("jobs without a report for some hours are overdue", function()
  local function group(job, age)
    local value = tostring(host.rest.now() - age)
    return { labels = { job = job }, push_time_seconds = { metrics = { { value = value } } } }
  end
  host:stub("GET", base .. "/api/v1/metrics", {
    json = { data = { group("backup", 26 * 3600), group("mail", 60) } },
  })
  t.equal(host:request("GET", "/overdue").json, { { job = "backup", hours = 26 } })
  t.equal(#host:request("GET", "/overdue?hours=0").json, 2)
  t.equal(host:request("GET", "/overdue?hours=x").status, 422)
end)
