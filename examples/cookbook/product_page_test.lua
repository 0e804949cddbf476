local t = require "resthost.test"

local host

t.before_each(function()
  host = t.load "product_page.lua"
  host:stub("GET", "http://127.0.0.1:8081/products/7", { json = { name = "Lamp", price = 20 } })
  host:stub("GET", "http://127.0.0.1:8082/items/7", { json = { count = 3 } })
  host:stub("GET", "http://127.0.0.1:8083/reviews?product=7", { json = { { stars = 5 }, { stars = 4 } } })
end)

local function page()
  local answer
  host.rest.spawn(function() answer = host:request("GET", "/shop/products/7") end)
  host:advance(2)
  return answer
end

t.test("three APIs are one page", function()
  t.equal(page().json, {
    name = "Lamp", price = 20, in_stock = 3, reviews = { count = 2, stars = 4.5 }, missing = {},
  })
end)

t.test("a part that is late is left out, and named", function()
  host:stub("GET", "http://127.0.0.1:8083/reviews?product=7", { error = { type = "timeout" } })
  local json = page().json
  t.equal({ json.name, json.in_stock, json.reviews }, { "Lamp", 3, false })
  t.equal(json.missing[1].part, "reviews")
end)

t.test("a part that fails has its last value", function()
  page()
  host:stub("GET", "http://127.0.0.1:8082/items/7", { status = 500 })
  host:advance(60)
  t.equal(page().json.in_stock, 3)
end)

t.test("a page without its main part is the error", function()
  host:stub("GET", "http://127.0.0.1:8081/products/7", { status = 404 })
  t.equal(page().status, 404)
end)
