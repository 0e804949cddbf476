local t = require "resthost.test"

local host, api, prometheus

local function answer(data, more)
  local body = { status = "success", data = data }
  for name, value in pairs(more or {}) do body[name] = value end
  return host:stub("GET", "https://prom.test/api/v1/**", { json = body })
end

t.before_each(function()
  host = t.load {
    source = [[
      local rest = require "resthost"
      rest.service { name = "prometheus", base_url = "https://prom.test" }
      string.handed_over = require "resthost.prometheus"
    ]],
  }
  api, prometheus = host.services.prometheus, string.handed_over
end)

t.test("a vector is a list of labels and numbers", function()
  local stub = answer {
    resultType = "vector",
    result = {
      { metric = { job = "a" }, value = { 1000.5, "2.5" } }, { metric = {}, value = { 1000.5, "+Inf" } },
      { metric = {}, value = { 1000.5, "-Inf" } }, { metric = {}, value = { 1000.5, "NaN" } },
    },
  }
  local list = t.assert(prometheus.query(api, 'up{job="a"}', { time = 1000.5, timeout = 2 }))
  t.equal(list[1], { labels = { job = "a" }, time = 1000.5, value = 2.5 })
  t.equal({ list[2].value, list[3].value }, { math.huge, -math.huge })
  t.equal(list[4].value ~= list[4].value, true)
  t.equal(stub.requests[1].url,
    "https://prom.test/api/v1/query?query=up%7Bjob%3D%22a%22%7D&time=1000.5&timeout=2s")
end)

t.test("a range ends now, and equal queries share an answer", function()
  local stub = answer {
    resultType = "matrix", result = { { metric = { a = "b" }, values = { { 1, "1" }, { 2, "NaN" } } } },
  }
  for _ = 1, 2 do
    local list = t.assert(prometheus.range(api, "x", { start = 1, stop = 2, step = 1 }))
    t.equal(list[1].values[1], { time = 1, value = 1 })
  end
  t.equal(#stub.requests, 1)
  t.assert(prometheus.range(api, "x", { start = 999990, step = 5 }))
  t.matches(stub.requests[2].url, "end=1000000")
end)

t.test("scalars, texts and histograms have the same shape", function()
  answer { resultType = "scalar", result = { 5, "7" } }
  t.equal(prometheus.query(api, "7"), { { labels = {}, time = 5, value = 7 } })
  answer { resultType = "string", result = { 5, "hi" } }
  t.equal(prometheus.query(api, '"hi"')[1].value, "hi")
  answer { resultType = "vector", result = { { metric = {}, histogram = { 5, { count = "3" } } } } }
  t.equal(prometheus.query(api, "h")[1].histogram, { count = "3" })
end)

t.test("errors of the API and other answers are errors", function()
  local reply = { status = "error", errorType = "bad_data", error = "parse error" }
  host:stub("GET", "https://prom.test/api/v1/**", { status = 400, json = reply })
  local _, err = prometheus.query(api, "sum(")
  t.equal(err.http_status_code, 400)
  t.matches(tostring(err), "parse error")
  host:stub("GET", "https://prom.test/api/v1/**", { json = reply })
  _, err = prometheus.query(api, "sum(x")
  t.equal(err.cause.type, "prometheus")
  t.matches(tostring(err), "bad_data: parse error")
  host:stub("GET", "https://prom.test/api/v1/**", { text = "<html>" })
  t.matches(
    tostring(select(2, prometheus.query(api, "y"))), "none of Prometheus: https://prom.test/api/v1/query"
  )
  answer { resultType = "cube", result = {} }
  t.matches(tostring(select(2, prometheus.query(api, "z"))), "unknown type of result: cube")
  for _, data in ipairs { false, { resultType = "matrix" }, { resultType = "vector", result = { "a", 5 } } } do
    answer(data, { warnings = "many" })
    host:advance(1000)
    _, err = prometheus.query(api, "broken")
    t.equal(err.cause.type, "prometheus")
  end
  t.matches(tostring(err), "the result is no vector: https://prom.test/api/v1/query?query=broken")
end)

t.test("values of a label, whatever its name is", function()
  local stub = answer { "a", "b" }
  t.equal(prometheus.values(api, "job"), { "a", "b" })
  prometheus.values(api, "a/b")
  t.equal(stub.requests[2].url, "https://prom.test/api/v1/label/a%2Fb/values")
  t.raises(function() prometheus.range(api, "x", { start = 1 }) end, "option 'step' is missing")
end)
