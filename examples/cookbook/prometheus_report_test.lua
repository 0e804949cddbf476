local t = require "resthost.test"

local query = "http://127.0.0.1:9090/api/v1/query?query="
local host

t.before_each(function() host = t.load "prometheus_report.lua" end)

local function vector(...)
  local result = host.rest.json.array {}
  for number, pair in ipairs { ... } do
    result[number] = { metric = { job = pair[1] }, value = { 1000000, pair[2] } }
  end
  return { json = { status = "success", data = { resultType = "vector", result = result } } }
end

t.test("series above the limit are reported, and failures with their reason", function()
  host:stub("GET", query .. "count*", vector { "api", "2" })
  host:stub("GET", query .. "sum*", { status = 503, json = { status = "error", error = "query timed out" } })
  local report = host:request("GET", "/report").json
  t.equal(report[1], { rule = "scrapes that fail", above = { { job = "api", value = 2 } } })
  t.matches(report[2].error, "query timed out")
end)

t.test("a report in the same quarter of a minute asks once", function()
  local stub = host:stub("GET", query .. "*", vector { "api", "0" })
  for _ = 1, 3 do t.equal(host:request("GET", "/report").json[1].above, {}) end
  t.equal(#stub.requests, 2)
end)

t.test("the history is an hour in minutes", function()
  local stub = host:stub("GET", "http://127.0.0.1:9090/api/v1/query_range?*", {
    json = {
      status = "success",
      data = { resultType = "matrix", result = { { metric = {}, values = { { 1, "NaN" }, { 2, "5" } } } } },
    },
  })
  local answer = host:request("GET", "/history?expression=up")
  t.equal(answer.json[1].values, { { time = 1, value = host.rest.null }, { time = 2, value = 5 } })
  t.matches(stub.requests[1].url, "end=999960%.0&query=up&start=996360%.0&step=60")
end)
