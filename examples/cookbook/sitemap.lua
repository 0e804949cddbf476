-- Makes the sitemap of a site from its CMS (Wagtail), in parts of 50,000 addresses, as sitemaps.org wants it.
--
--   resthost run sitemap.lua
--   curl http://127.0.0.1:8080/sitemap.xml
local rest = require "resthost"

local cms = rest.service { name = "cms", base_url = rest.env.CMS_URL or "http://127.0.0.1:8000/api/v2" }
local site = rest.env.SITE_URL or "https://www.example.com"
local part_size = 50000

-- All articles as one resource, which is read anew each hour. Wagtail gives at most 20 at a time.
cms:use("pages", {
  path = "/all/articles", source = "/pages/", style = "offset", limit = 20, expiration_time = 3600,
  items = "items", total = "meta.total_count", max_items = 1000000, max_pages = 50000,
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
    local address = ("%s/sitemap/%d.xml"):format(site, part)
    lines[#lines + 1] = ("<sitemap><loc>%s</loc></sitemap>"):format(escaped(address))
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
    -- The time is there if the CMS adds it to the fields of its API.
    local page, time = articles[number].meta, articles[number].meta.last_published_at
    local last = type(time) == "string" and ("<lastmod>%s</lastmod>"):format(escaped(time)) or ""
    if type(page.html_url) == "string" then
      lines[#lines + 1] = ("<url><loc>%s</loc>%s</url>"):format(escaped(page.html_url), last)
    end
  end
  lines[#lines + 1] = "</urlset>"
  return xml(lines)
end)
