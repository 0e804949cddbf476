-- The weather of some cities from Open-Meteo, in a form of our own. Clients never wait while it is loaded
-- anew.
--
--   resthost run weather.lua
--   curl http://127.0.0.1:8080/weather/reykjavik
local rest = require "resthost"

local meteo = rest.service { name = "meteo", base_url = "https://api.open-meteo.com/v1" }
local weather = rest.service { name = "city" }

local cities = {
  berlin = { latitude = 52.52, longitude = 13.41 },
  reykjavik = { latitude = 64.15, longitude = -21.94 },
  tromso = { latitude = 69.65, longitude = 18.96 },
}

meteo:configure("/forecast", function(c)
  c.expiration_time = 600
  c.limits = { rate = { requests = 5, per = 1 } }
end)

-- Codes of the World Meteorological Organization, from each one on.
local words = {
  { 0, "clear" }, { 1, "cloudy" }, { 45, "fog" }, { 51, "rain" }, { 71, "snow" }, { 80, "showers" },
  { 95, "storm" },
}

local function word_of(code)
  local word = "unknown"
  for _, pair in ipairs(words) do
    if code >= pair[1] then word = pair[2] end
  end
  return word
end

local function forecast_of(city)
  return meteo:resource("/forecast"):with_params {
    latitude = city.latitude, longitude = city.longitude,
    current = "temperature_2m,wind_speed_10m,weather_code",
  }
end

weather:computed("/weather/{city}", function(params)
  local city = cities[params.city]
  if not city then return nil, rest.error { http_status_code = 404, user_message = "No such city" } end
  local answer, err = forecast_of(city):get()
  if not answer then return nil, err end
  local now = answer.current
  return { celsius = now.temperature_2m, wind_kmh = now.wind_speed_10m, sky = word_of(now.weather_code) }
end)

-- Fresh for ten minutes; for another hour clients get the old answer while a new one is loaded.
weather:configure("/weather/*", function(c)
  c.expiration_time = 600
  c.stale_while_revalidate = 3600
  c.stale_if_error = 6 * 3600
end)

rest.gateway { expose = { city = { paths = { "/weather/*" } } } }
