local t = require "resthost.test"

local rss = [[<rss version="2.0"><channel><title>LWN</title>
<item><title>Kernel &amp; more</title><link>https://lwn.net/1</link>
<pubDate>Fri, 02 Jan 2026 09:30:00 GMT</pubDate></item>
<item><title>Old</title><link>https://lwn.net/0</link><pubDate>Mon, 1 Dec 2025 09:30:00 GMT</pubDate></item>
</channel></rss>]]
local atom = [[<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Release</title>
<link href="https://www.debian.org/r"/><updated>2025-12-24T10:00:00Z</updated></entry></feed>]]
local host

local function serve(url, body, kind)
  host:stub("GET", url, { body = body, headers = { ["Content-Type"] = kind } })
end

t.before_each(function()
  host = t.load "news_planet.lua"
  serve("https://lwn.net/headlines/rss", rss, "application/rss+xml")
  serve("https://www.debian.org/News/news", atom, "application/atom+xml")
end)

local function news() return host:request("GET", "/news").json end

t.test("RSS and Atom are one list, newest first", function()
  local list = news()
  t.equal(list[1], {
    feed = "lwn", title = "Kernel & more", url = "https://lwn.net/1", date = "2026-01-02T09:30Z",
  })
  t.equal({ list[2].title, list[2].url, list[3].title }, { "Release", "https://www.debian.org/r", "Old" })
end)

t.test("dates of all time zones are compared in UTC, and others stay as they are", function()
  local dates = {
    "2 Jan 2026 23:30:00 -0200", "Sat, 03 Jan 2026 09:00 +0530", "Fri, 1 Foo 2026 09:00:00 GMT",
    "2026-01-03T05:00:00+02:00", "2026-01-03", "",
  }
  local items = {}
  for number, date in ipairs(dates) do items[number] = ("<item><pubDate>%s</pubDate></item>"):format(date) end
  serve("https://lwn.net/headlines/rss", "<rss>" .. table.concat(items) .. "</rss>", "application/rss+xml")
  serve("https://www.debian.org/News/news", "<feed/>", "application/atom+xml")
  local seen = {}
  for number, item in ipairs(news()) do seen[number] = item.date end
  t.equal(seen, {
    "Fri, 1 Foo 2026 09:00:00 GMT", "2026-01-03T03:30Z", "2026-01-03T03:00Z", "2026-01-03T01:30Z",
    "2026-01-03", "",
  })
end)

t.test("a feed that fails keeps its items, and others are shown", function()
  news()
  serve("https://lwn.net/headlines/rss", "<rss><channel>", "application/rss+xml")
  host:advance(1000)
  t.equal(#news(), 3)
  local fresh = t.load "news_planet.lua"
  fresh:stub("GET", "https://lwn.net/headlines/rss", { status = 500 })
  fresh:stub("GET", "https://www.debian.org/News/news", {
    body = atom, headers = { ["Content-Type"] = "application/atom+xml" },
  })
  t.equal(#fresh:request("GET", "/news").json, 1)
end)

t.test("a document type that declares entities is refused", function()
  local bomb = '<!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    .. "<rss><channel><item><title>&b;</title></item></channel></rss>"
  serve("https://lwn.net/headlines/rss", bomb, "application/rss+xml")
  t.equal(#news(), 1)
end)
