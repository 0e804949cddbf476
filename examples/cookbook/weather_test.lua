local t = require "resthost.test"

local url = "https://api.open-meteo.com/v1/forecast?**"
local host

t.before_each(function() host = t.load "weather.lua" end)

local function weather(celsius, code)
  return { json = { current = { temperature_2m = celsius, wind_speed_10m = 30.5, weather_code = code } } }
end

local function ask(city) return host:request("GET", "/city/weather/" .. city) end

t.test("a forecast is translated", function()
  local stub = host:stub("GET", url, weather(-2.5, 73))
  t.equal(ask("reykjavik").json, { celsius = -2.5, wind_kmh = 30.5, sky = "snow" })
  t.matches(stub.requests[1].url, "latitude=64.15&longitude=%-21.94")
end)

t.test("codes between two words belong to the lower one", function()
  for code, word in pairs {
    [0] = "clear", [3] = "cloudy", [48] = "fog", [65] = "rain", [82] = "showers", [99] = "storm",
  } do
    host:stub("GET", url, weather(1, code))
    host.services.meteo:wipe_resources()
    host.services.city:wipe_resources()
    t.equal(ask("berlin").json.sky, word)
    host:advance(1)
  end
end)

t.test("clients get the old answer while the new one is loaded", function()
  host:stub("GET", url, weather(1, 0))
  ask "berlin"
  host:advance(700)
  local slow = host:stub("GET", url, { gated = true, json = weather(5, 0).json })
  t.equal(ask("berlin").json.celsius, 1)
  t.equal(#slow.requests, 1)
  slow:go()
  host:settle()
  t.equal(ask("berlin").json.celsius, 5)
end)

t.test("an API that is away is replaced by old data for hours", function()
  host:stub("GET", url, weather(1, 0))
  ask "berlin"
  host:stub("GET", url, { error = { type = "timeout" } })
  host:advance(5 * 3600)
  t.equal(ask("berlin").json.celsius, 1)
end)

t.test("other cities don't exist", function()
  t.equal(ask("atlantis").status, 404)
end)
