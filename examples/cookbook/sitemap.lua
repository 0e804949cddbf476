-- Makes the sitemap of a site from its API, in parts of 50,000 addresses, as sitemaps.org wants it.
--
--   resthost run sitemap.lua
--   curl http://127.0.0.1:8080/sitemap.xml
local rest = require "resthost"

local cms = rest.service { name = "cms", base_url = rest.env.CMS_URL or "http://127.0.0.1:8081" }
local site = rest.env.SITE_URL or "https://www.example.com"
local part_size = 50000

-- All articles of all pages as one resource, which is read anew each hour.
cms:use("pages", {
  path = "/all/articles", source = "/articles", style = "offset", limit = 500,
  items = "items", total = "total", max_items = 1000000, max_pages = 10000, expiration_time = 3600,
})

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&apos;" }
local function escaped(text) return (text:gsub("[&<>\"']", escapes)) end

local head = '<?xml version="1.0" encoding="UTF-8"?>\n'
local namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

local function xml(lines)
  return rest.response {
    body = head .. table.concat(lines, "\n"), content_type = "application/xml", expiration_time = 600,
  }
end

local gateway = rest.gateway { expose = {}, timeout = 300 }

gateway:route("GET", "/sitemap.xml", function()
  local articles, err = cms:resource("/all/articles"):get()
  if not articles then return nil, err end
  local lines = { ("<sitemapindex %s>"):format(namespace) }
  for part = 1, math.max(1, (#articles + part_size - 1) // part_size) do
    lines[#lines + 1] = ("<sitemap><loc>%s</loc></sitemap>"):format(
      escaped(("%s/sitemap/%d.xml"):format(site, part))
    )
  end
  lines[#lines + 1] = "</sitemapindex>"
  return xml(lines)
end)

gateway:route("GET", "/sitemap/{part}", function(request)
  local part = math.tointeger(tonumber(request.params.part:match "^(%d+)%.xml$"))
  local articles, err = cms:resource("/all/articles"):get()
  if not articles then return nil, err end
  local first = part and (part - 1) * part_size + 1
  if not part or part < 1 or part > 1 and not articles[first] then return rest.response { status = 404 } end
  local lines = { ("<urlset %s>"):format(namespace) }
  for number = first, math.min(#articles, first + part_size - 1) do
    local article = articles[number]
    local address = ("%s/%s"):format(site, rest.url.encode(article.slug))
    lines[#lines + 1] = (
      "<url><loc>%s</loc><lastmod>%s</lastmod></url>"
    ):format(escaped(address), escaped(article.updated))
  end
  lines[#lines + 1] = "</urlset>"
  return xml(lines)
end)
