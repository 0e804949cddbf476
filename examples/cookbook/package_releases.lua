-- Tells when packages of PyPI have a new release: as a log line, and as a feed (JSON Feed) for readers.
--
--   resthost run package_releases.lua
--   curl http://127.0.0.1:8080/feed.json
local rest = require "resthost"
local polling = require "resthost.polling"

local pypi = rest.service { name = "pypi", base_url = rest.env.PYPI_URL or "https://pypi.example/pypi" }
local packages = { "requests", "flask", "numpy" }
local state = rest.store.open "releases.db"
local interval = tonumber(rest.env.PYPI_INTERVAL) or 3600

-- One request at a time, with the ETag of the last answer.
pypi:configure("**", function(c)
  c.limits = { in_flight = 1, queue = 100, queue_timeout = 30 }
  c.retry = true
end)

local function remember(name, version, info)
  local news = state:get "news" or {}
  table.insert(news, 1, {
    id = name .. " " .. version, url = info.package_url, title = name .. " " .. version,
    content_text = info.summary or "", date = rest.now(),
  })
  news[51] = nil
  state:set("news", news)
end

for _, name in ipairs(packages) do
  -- The whole answer is one item: its key is the version.
  local function info_of(content) return rest.json.array { content.info } end
  polling.changes(pypi:resource("/" .. name .. "/json"), {
    items = info_of, key = "version", interval = interval, max_wait = 6 * interval, previous = false,
  }, function(change)
    if change.type ~= "added" then return end
    rest.log.info("new release", { package = name, version = change.key })
    remember(name, change.key, change.value)
  end)
end

local gateway = rest.gateway { expose = {} }

gateway:route("GET", "/feed.json", { expiration_time = 60 }, function()
  local items = rest.json.array {}
  for number, one in ipairs(state:get "news" or {}) do
    items[number] = {
      id = one.id, url = one.url, title = one.title, content_text = one.content_text,
      date_published = os.date("!%Y-%m-%dT%H:%M:%SZ", math.floor(one.date)),
    }
  end
  return rest.response {
    json = { version = "https://jsonfeed.org/version/1.1", title = "Releases", items = items },
    content_type = "application/feed+json",
  }
end)
