local t = require "resthost.test"

local url = "http://127.0.0.1:8081/orders"
local host

local function orders(list) host:stub("GET", url, { json = host.rest.json.array(list) }) end

t.before_each(function()
  host = t.load "events_from_polling.lua"
  orders { { id = 1, state = "new" } }
  host:settle()
end)

local function follow(headers) return host:request("GET", "/orders/events", { headers = headers }) end

t.test("orders that come, change and go are events", function()
  local stream = follow()
  orders { { id = 1, state = "paid" }, { id = 2, state = "new" } }
  local event = stream:next_event()
  t.equal({ event.event, host.rest.json.decode(event.data).before.state }, { "changed", "new" })
  t.equal(stream:next_event().event, "added")
  orders { { id = 2, state = "new" } }
  event = stream:next_event()
  t.equal({ event.event, host.rest.json.decode(event.data).id }, { "removed", "1" })
  stream:close()
end)

t.test("a browser that comes back gets what it missed", function()
  orders { { id = 1, state = "paid" } }
  host:advance(6)
  orders { { id = 1, state = "sent" } }
  host:advance(6)
  local stream = follow { ["Last-Event-ID"] = "1" }
  t.equal(#stream.events, 1)
  t.matches(stream.events[1].data, "sent")
  stream:close()
  local all = follow { ["Last-Event-ID"] = "0" }
  t.equal(#all.events, 2)
  all:close()
end)

t.test("a failure of the API is no event", function()
  local stream = follow()
  host:stub("GET", url, { status = 500 })
  host:advance(120)
  t.equal(#stream.events, 0)
  stream:close()
end)
