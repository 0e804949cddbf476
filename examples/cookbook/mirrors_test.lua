local t = require "resthost.test"

local host

local function mirror(number, reply)
  return host:stub("GET", ("http://127.0.0.1:808%d/data/*"):format(number), reply)
end

t.before_each(function() host = t.load "mirrors.lua" end)

local function ask(path) return host:request("GET", "/files/data/" .. path) end

t.test("the first mirror that works is used, and used again", function()
  local first = mirror(1, { error = { type = "connection_failed" } })
  local second = mirror(2, { json = { from = 2 } })
  t.equal(ask("a").json, { from = 2 })
  t.equal(ask("b").json, { from = 2 })
  t.equal({ #first.requests, #second.requests }, { 1, 2 })
end)

t.test("the first one gets another chance after five minutes", function()
  mirror(1, { status = 503 })
  mirror(2, { json = { from = 2 } })
  ask "a"
  mirror(1, { json = { from = 1 } })
  host:advance(301)
  t.equal(ask("a").json, { from = 1 })
end)

t.test("a file that doesn't exist is not looked for elsewhere", function()
  mirror(1, { status = 404 })
  local second = mirror(2, { json = { from = 2 } })
  t.equal(ask("a").status, 404)
  t.equal(#second.requests, 0)
end)

t.test("the old file is given while all are away", function()
  mirror(1, { json = { from = 1 } })
  ask "a"
  for number = 1, 3 do mirror(number, { error = { type = "timeout" } }) end
  host:advance(3600)
  t.equal(ask("a").json, { from = 1 })
  t.equal(ask("other").status, 504)
end)
