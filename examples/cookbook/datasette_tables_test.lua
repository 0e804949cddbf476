local t = require "resthost.test"

local base = "http://127.0.0.1:8001/shop"
local host

t.before_each(function() host = t.load "datasette_tables.lua" end)

local function ask(path) return host:request("GET", "/datasette" .. path) end

t.test("all pages of a table are one list, with the filter on each", function()
  local first = host:stub("GET", base .. "/products.json?_shape=objects&_size=100&country=IS", {
    json = { rows = { { id = 1 } }, next = "1" },
  })
  host:stub("GET", base .. "/products.json?_next=1&_shape=objects&_size=100&country=IS", {
    json = { rows = { { id = 2 } }, next = host.rest.null },
  })
  for _ = 1, 2 do t.equal(ask("/all/products?country=IS").json, { { id = 1 }, { id = 2 } }) end
  t.equal(#first.requests, 1)
end)

t.test("clients can't write SQL or reach other files", function()
  local stub = host:stub("GET", base .. "/products.json?**", { json = { rows = {} } })
  t.equal(ask("/all/products?_where=1").json, {})
  t.equal(stub.requests[1].url:find("_where", 1, true), nil)
  t.equal(ask("/all/a.b").status, 404)
  t.equal(ask("/products.json").status, 404)
end)

t.test("a value is a parameter of the statement", function()
  local stub = host:stub("GET", base .. ".json?**", {
    json = { rows = { { count = 2, lowest = 1.5, highest = 4 } } },
  })
  t.equal(ask("/prices/IS").json, { count = 2, lowest = 1.5, highest = 4 })
  ask "/prices/'%20or%201"
  t.equal(host.rest.url.parse(stub.requests[2].url).params.country, "' or 1")
end)

t.test("a country without products doesn't exist, and a wrong statement is an error", function()
  host:stub("GET", base .. ".json?**", { json = { rows = { { count = 0 } } } })
  t.equal(ask("/prices/XX").status, 404)
  host:stub("GET", base .. ".json?**", { status = 400, json = { ok = false, error = "no such table" } })
  t.equal(ask("/prices/IS").status, 400)
end)
