-- Gives an API without events a stream of them: browsers see orders as they come, change and go.
--
--   resthost run events_from_polling.lua
--   curl -N http://127.0.0.1:8080/orders/events
local rest = require "resthost"
local polling = require "resthost.polling"

local shop = rest.service { name = "shop", base_url = rest.env.SHOP_URL or "http://127.0.0.1:8081" }

-- The last hundred events, so that a browser which was away gets what it missed.
local events, last = {}, 0
local longest = 100

polling.changes(shop:resource "/orders", { key = "id", interval = 5, max_wait = 60 }, function(change)
  last = last + 1
  events[last] = {
    id = tostring(last), event = change.type,
    data = rest.json.encode { id = change.key, order = change.value, before = change.previous },
  }
  events[last - longest] = nil
end)

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/orders/events", function(request)
  local seen = math.tointeger(tonumber(request.headers["Last-Event-ID"])) or last
  if seen > last then seen = 0 end
  return rest.stream_response({ content_type = "text/event-stream" }, function(write)
    while true do
      for number = math.max(seen + 1, last - longest + 1), last do write(events[number]) end
      seen = last
      rest.sleep(1)
    end
  end)
end)
