local t = require "resthost.test"

local url = "https://api.frankfurter.app/latest"
local host

t.before_each(function()
  host = t.load "exchange_rates.lua"
  host:stub("GET", url, {
    json = { base = "EUR", date = "2026-01-02", rates = { USD = 1.25, JPY = 160, ISK = 145.5 } },
  })
end)

local function convert(query) return host:request("GET", "/convert?" .. query) end

t.test("money is converted between all currencies", function()
  t.equal(convert("amount=12.50&from=EUR&to=USD").json, {
    amount = "15.63", currency = "USD", date = "2026-01-02",
  })
  t.equal(convert("amount=12.5&from=USD&to=EUR").json.amount, "10.00")
  t.equal(convert("amount=100&from=USD&to=JPY").json.amount, "12800.00")
  t.equal(convert("amount=0.1&from=EUR&to=EUR").json.amount, "0.10")
end)

t.test("old rates are used for days, not for ever", function()
  convert "amount=1&from=EUR&to=USD"
  host:stub("GET", url, { error = { type = "dns_failed" } })
  host:advance(3 * 86400)
  local answer
  host.rest.spawn(function() answer = convert "amount=1&from=EUR&to=USD" end)
  host:advance(30)
  t.equal(answer.json.amount, "1.25")
  host:advance(2 * 86400)
  host.rest.spawn(function() answer = convert "amount=1&from=EUR&to=USD" end)
  host:advance(30)
  t.equal(answer.status, 502)
end)

t.test("wrong questions are refused", function()
  for _, query in ipairs {
    "", "amount=1", "amount=-1&from=EUR&to=USD", "amount=1e9&from=EUR&to=USD", "amount=1.234&from=EUR&to=USD",
    "amount=1&from=EUR&to=XXX", "amount=1234567890123&from=EUR&to=USD",
  } do
    t.equal(convert(query).status, 422, query)
  end
end)
