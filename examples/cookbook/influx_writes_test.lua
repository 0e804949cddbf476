local t = require "resthost.test"

local url = "http://127.0.0.1:8086/api/v2/write?bucket=sensors&org=home&precision=ms"
local host

t.before_each(function() host = t.load "influx_writes.lua" end)

local function measure(sensor, temperature)
  return host:request("POST", "/measurements", { json = { sensor = sensor, temperature = temperature } })
end

t.test("measurements go out together", function()
  local stub = host:stub("POST", url, { status = 204 })
  measure("cellar", 11.5)
  t.equal(measure("living room, left", -3).json, { waiting = 2, lost = 0 })
  t.equal(#stub.requests, 0)
  host:advance(10)
  t.equal(stub.requests[1].body, "temperature,sensor=cellar value=11.5 1000000000\n"
    .. [[temperature,sensor=living\ room\,\ left value=-3 1000000000]])
  host:advance(100)
  t.equal(#stub.requests, 1)
end)

t.test("a failure loses nothing, and the order stays", function()
  host:stub("POST", url, { status = 503 })
  measure("a", 1)
  host:advance(10)
  measure("b", 2)
  local stub = host:stub("POST", url, { status = 204 })
  host:advance(10)
  t.matches(stub.requests[1].body, "sensor=a.*\n.*sensor=b")
end)

t.test("a batch that the server calls wrong is not sent again", function()
  local stub = host:stub("POST", url, { status = 400, json = { message = "partial write" } })
  measure("a", 1)
  host:advance(30)
  t.equal(#stub.requests, 1)
  t.equal(measure("b", 2).json, { waiting = 1, lost = 1 })
end)

t.test("a wrong measurement is refused", function()
  t.equal(measure("a", "warm").status, 422)
  for _, name in ipairs { "", "a\\", "\\\\" } do t.equal(measure(name, 1).status, 422) end
  t.equal(host:request("POST", "/measurements", { body = "no JSON" }).status, 422)
end)
