-- A page that says which of several services work, and since when. Its status is 503 while an important one
-- fails.
--
--   resthost run health_page.lua
--   curl http://127.0.0.1:8080/health
local rest = require "resthost"

local checks = {
  { name = "shop", url = rest.env.SHOP_URL, port = 8081, path = "/health", is_important = true },
  { name = "search", url = rest.env.SEARCH_URL, port = 8082, path = "/health" },
}

for _, one in ipairs(checks) do
  one.service = rest.service { name = one.name, base_url = one.url or "http://127.0.0.1:" .. one.port }
  one.service:configure("**", function(c) c.timeouts.total = 3 end)
end

-- The time of the last change is kept over a reload.
local function check(one)
  local entity, err = one.service:resource(one.path):request("GET"):await()
  local ok, key = entity ~= nil, "health " .. one.name
  local before = rest.store:get(key)
  if not before or before.ok ~= ok then
    rest.store:set(key, { ok = ok, since = rest.now() })
    if before then rest.log.warn("health changed", { service = one.name, ok = ok }) end
  end
  one.state, one.reason = rest.store:get(key), err and err.user_message
end

local function check_all() rest.gather(checks, 4, check) end

rest.every(15, check_all)
rest.spawn(check_all)

local function report()
  local list, works = rest.json.array {}, true
  for number, one in ipairs(checks) do
    local ok = one.state and one.state.ok or false
    works = works and (ok or not one.is_important)
    list[number] = { name = one.name, ok = ok, since = one.state and one.state.since, reason = one.reason }
  end
  return list, works
end

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/health", function()
  local list, works = report()
  return rest.response { status = works and 200 or 503, json = list }
end)

gateway:route("GET", "/", function()
  local rows = {}
  for number, one in ipairs((report())) do
    rows[number] = ("<tr><td>%s<td>%s<td>%d min"):format(
      one.name, one.ok and "works" or "fails", one.since and (rest.now() - one.since) // 60 or 0)
  end
  local page = "<!doctype html><meta charset=utf-8><title>Health</title><table>" .. table.concat(rows)
  return rest.response { body = page, content_type = "text/html; charset=utf-8" }
end)
