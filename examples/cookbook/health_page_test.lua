local t = require "resthost.test"

local host

local function answer(port, reply) host:stub("GET", ("http://127.0.0.1:%d/health"):format(port), reply) end

t.before_each(function()
  host = t.load "health_page.lua"
  answer(8081, { json = {} })
  answer(8082, { json = {} })
  host:settle()
end)

t.test("all services work", function()
  local health = host:request("GET", "/health")
  t.equal(health.status, 200)
  t.equal(health.json, {
    { name = "shop", ok = true, since = 1000000 }, { name = "search", ok = true, since = 1000000 },
  })
end)

t.test("an important service that fails makes the page fail", function()
  answer(8081, { status = 500 })
  host:advance(16)
  local health = host:request("GET", "/health")
  t.equal({ health.status, health.json[1].ok, health.json[1].since }, { 503, false, 1000015 })
  answer(8081, { json = {} })
  host:advance(15)
  t.equal(host:request("GET", "/health").status, 200)
end)

t.test("another one does not", function()
  answer(8082, { error = { type = "timeout", message = "no answer within 3 seconds" } })
  host:advance(20)
  local health = host:request("GET", "/health")
  t.equal({ health.status, health.json[2].ok }, { 200, false })
  t.matches(health.json[2].reason, "3 seconds")
end)

t.test("people get a page with minutes", function()
  host:advance(180)
  t.matches(host:request("GET", "/").body, "<tr><td>shop<td>works<td>3 min")
end)
