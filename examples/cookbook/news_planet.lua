-- Makes one list of several news feeds (RSS 2.0 and Atom), newest first. One that fails keeps its items.
--
--   resthost run news_planet.lua
--   curl http://127.0.0.1:8080/news
local rest = require "resthost"

local feeds = {
  { name = "lwn", base_url = "https://lwn.net", path = "/headlines/rss" },
  { name = "debian", base_url = "https://www.debian.org", path = "/News/news" },
}

for _, feed in ipairs(feeds) do
  feed.service = rest.service {
    name = feed.name, base_url = feed.base_url, standard_transformers = { "xml", "text" },
  }
  feed.service:configure("**", function(c)
    c.expiration_time = 900
    c.stale_if_error = 7 * 86400
    c.accept = { "application/rss+xml", "application/atom+xml", "application/xml;q=0.9" }
  end)
end

local months = "JanFebMarAprMayJunJulAugSepOctNovDec"

-- A date of RSS (RFC 822) in the form of Atom (RFC 3339), which sorts as text.
local function date_of(text)
  local day, month, year, clock = (text or ""):match "(%d+) (%a%a%a)%a* (%d%d%d%d) (%d%d:%d%d)"
  local place = month and months:find(month, 1, true)
  if not place then return text or "" end
  return ("%s-%02d-%02dT%s"):format(year, place // 3 + 1, tonumber(day), clock)
end

local function text_of(item, ...)
  for _, name in ipairs { ... } do
    local found = rest.xml.find(item, name)
    if found then return type(found) == "string" and found or found.text end
  end
end

local function items_of(feed)
  local document, err = feed.service:resource(feed.path):get()
  if not document then return nil, err end
  local list = {}
  for _, item in ipairs(rest.xml.find_all(document, document.name == "feed" and "entry" or "//item")) do
    list[#list + 1] = {
      feed = feed.name, title = text_of(item, "title"), url = text_of(item, "link/@href", "link"),
      date = date_of(text_of(item, "pubDate", "updated", "date")),
    }
  end
  return list
end

local gateway = rest.gateway { expose = {} }
gateway:route("GET", "/news", { expiration_time = 60 }, function()
  local lists, _, some = rest.gather(feeds, 4, items_of)
  local all = {}
  for _, list in ipairs(lists or some) do table.move(list or {}, 1, #(list or {}), #all + 1, all) end
  table.sort(all, function(a, b) return a.date > b.date end)
  return rest.json.array(table.move(all, 1, math.min(#all, 50), 1, {}))
end)
