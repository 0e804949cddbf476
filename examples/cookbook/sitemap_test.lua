local t = require "resthost.test"

local url = "http://127.0.0.1:8000/api/v2/pages/?limit=20&offset="
local host, first

t.before_each(function()
  host = t.load "sitemap.lua"
  local function page(meta) return { json = { meta = { total_count = 3 }, items = { { meta = meta } } } } end
  first = host:stub("GET", url .. "0", page {
    html_url = "https://www.example.com/tea?a&b", last_published_at = "2026-01-02T10:00:00Z",
  })
  host:stub("GET", url .. "1", page {
    html_url = "https://www.example.com/milk/", last_published_at = host.rest.null,
  })
  host:stub("GET", url .. "2", page { html_url = host.rest.null })
end)

t.test("the index names the parts", function()
  local answer = host:request("GET", "/sitemap.xml")
  t.matches(answer.headers["Content-Type"], "application/xml")
  t.matches(
    answer.body, "<sitemap><loc>https://www.example.com/sitemap/1.xml</loc></sitemap>\n</sitemapindex>"
  )
end)

t.test("a part has the addresses of all pages, escaped", function()
  local body = host:request("GET", "/sitemap/1.xml").body
  t.matches(body, "<loc>https://www.example.com/tea%?a&amp;b</loc><lastmod>2026%-01%-02T10:00:00Z</lastmod>")
  t.matches(body, "<url><loc>https://www.example.com/milk/</loc></url>\n</urlset>")
end)

t.test("the articles are read once an hour", function()
  for _ = 1, 3 do host:request("GET", "/sitemap/1.xml") end
  t.equal(#first.requests, 1)
  host:advance(4201)
  host:request("GET", "/sitemap/1.xml")
  t.equal(#first.requests, 2)
end)

t.test("other parts don't exist", function()
  for _, part in ipairs { "2.xml", "0.xml", "x.xml", "1" } do
    t.equal(host:request("GET", "/sitemap/" .. part).status, 404, part)
  end
end)
