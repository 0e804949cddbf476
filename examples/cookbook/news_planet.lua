-- Makes one list of several news feeds (RSS 2.0 and Atom), newest first. One that fails keeps its items.
--
--   resthost run news_planet.lua
--   curl http://127.0.0.1:8080/news
local rest = require "resthost"

local feeds = {
  { name = "lwn", base_url = rest.env.LWN_URL or "https://lwn.net", path = "/headlines/rss" },
  { name = "debian", base_url = rest.env.DEBIAN_URL or "https://www.debian.org", path = "/News/news" },
}

for _, feed in ipairs(feeds) do
  feed.service = rest.service {
    name = feed.name, base_url = feed.base_url, standard_transformers = { "xml", "text" },
  }
  feed.service:configure("**", function(c)
    c.expiration_time, c.stale_if_error = 900, 7 * 86400
    c.accept = { "application/rss+xml", "application/atom+xml", "application/xml;q=0.9" }
  end)
end

-- A date of RSS (RFC 822) or Atom (RFC 3339) in UTC, which sorts as text.
local months = "JanFebMarAprMayJunJulAugSepOctNovDec"
local function date_of(text)
  local day, name, year, hour, minute = text:match "(%d+) (%a%a%a)%a* (%d%d%d%d) (%d%d):(%d%d)"
  local place = name and months:find(name, 1, true)
  local month = place and place // 3 + 1
  if not day then year, month, day, hour, minute = text:match "(%d%d%d%d)-(%d%d)-(%d%d)T(%d%d):(%d%d)" end
  if not month then return text end
  local sign, hours, minutes = text:match "([+-])(%d%d):?(%d%d)$"
  if sign then minute = minute - tonumber(sign .. hours * 60 + minutes) end
  local time = os.time { year = year, month = month, day = day, hour = hour, min = minute }
  return os.date("%Y-%m-%dT%H:%MZ", time)
end

local function text_of(item, ...)
  for _, name in ipairs { ... } do
    local found = rest.xml.find(item, name)
    if found then return type(found) == "string" and found or found.text end
  end
end

local function items_of(feed)
  local list, document, err = {}, feed.service:resource(feed.path):get()
  if not document then return nil, err end
  for _, item in ipairs(rest.xml.find_all(document, document.name == "feed" and "entry" or "//item")) do
    list[#list + 1] = {
      feed = feed.name, title = text_of(item, "title"), url = text_of(item, "link/@href", "link"),
      date = date_of(text_of(item, "pubDate", "updated", "date") or ""),
    }
  end
  return list
end

rest.gateway({ expose = {} }):route("GET", "/news", { expiration_time = 60 }, function()
  local all, lists, _, some = {}, rest.gather(feeds, 4, items_of)
  for _, list in ipairs(lists or some) do table.move(list or {}, 1, #(list or {}), #all + 1, all) end
  table.sort(all, function(a, b) return a.date > b.date end)
  return rest.json.array(table.move(all, 1, math.min(#all, 50), 1, {}))
end)
