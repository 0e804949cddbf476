-- Converts money with the rates of the European Central Bank (frankfurter.app): yesterday's rates are better
-- than none.
--
--   resthost run exchange_rates.lua
--   curl 'http://127.0.0.1:8080/convert?amount=12.50&from=EUR&to=ISK'
local rest = require "resthost"

local ecb = rest.service { name = "ecb", base_url = "https://api.frankfurter.app" }

-- The bank publishes rates once a working day.
ecb:configure("/latest", function(c)
  c.expiration_time = 3600
  c.stale_if_error = 4 * 86400
  c.retry = true
  c.pipeline.cleanup.cache = rest.cache.sqlite { path = "rates.db" }
end)

ecb:configure_transformer("/latest", function(answer)
  local rates = { [answer.base] = 1 }
  for currency, rate in pairs(answer.rates) do rates[currency] = rate end
  return { date = answer.date, rates = rates }
end)

local function refusal(text) return rest.response { status = 422, json = { error = text } } end

local gateway = rest.gateway { expose = { ecb = { paths = { "/latest" } } } }

gateway:route("GET", "/convert", function(request)
  local query = request.query
  -- Amounts are whole numbers of hundredths, so that nothing is lost by the way.
  local whole, part = (query.amount or ""):match "^(%d+)%.?(%d?%d?)$"
  if not whole or #whole > 12 then return refusal "'amount' is a number such as 12.50" end
  local cents = tonumber(whole) * 100 + tonumber((part .. "00"):sub(1, 2))

  local table_of_rates, err = ecb:resource("/latest"):get()
  if not table_of_rates then return nil, err end
  local from, to = table_of_rates.rates[query.from or ""], table_of_rates.rates[query.to or ""]
  if not from or not to then return refusal "'from' and 'to' are currencies such as EUR and USD" end
  local result = math.floor(cents / from * to + 0.5)
  return {
    amount = ("%d.%02d"):format(result // 100, result % 100),
    currency = query.to,
    date = table_of_rates.date,
  }
end)
