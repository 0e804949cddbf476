-- Checks the links of a page, a few at a time, and prints those that are broken. It ends with 1 if there are
-- any. A link to a host that isn't granted counts as broken.
--
--   PAGE_URL=https://www.example.com/ resthost run link_checker.lua --allow-net '*.example.com,www.iana.org'
local rest = require "resthost"

local web = rest.service { name = "web", standard_transformers = { "text" } }
local start = rest.env.PAGE_URL or "http://127.0.0.1:8081/index.html"
local most_links = 500

web:configure(function(c)
  c.timeouts.total = 20
  c.max_body_bytes = 4 * 1024 * 1024
  c.retry = { attempts = 2 }
  c.limits = { in_flight = 2, queue = most_links, queue_timeout = 20, scope = "host" }
end)

local entities = { amp = "&", quot = '"', lt = "<", gt = ">" }

-- The targets of links, without those that lead to a place in the page, a mail address or a script.
local function links_of(page, html)
  local found, list = {}, {}
  for quote, target in html:gmatch "[hH][rR][eE][fF]%s*=%s*([\"'])(.-)%1" do
    target = target:gsub("&(%w+);", entities):gsub("#.*$", "")
    local url = quote and page:relative(target).url
    if target ~= "" and url:find "^https?://" and not found[url] and #list < most_links then
      found[url] = true
      list[#list + 1] = url
    end
  end
  return list
end

-- Some servers don't know HEAD: then the page is asked for itself.
local function check(url)
  local resource = web:resource_at(url)
  local entity, err = resource:request("HEAD"):await()
  local status = err and err.http_status_code
  if status == 405 or status == 501 or status == 403 then
    entity, err = resource:request("GET"):await()
  end
  if entity then return { url = url } end
  return { url = url, problem = err.http_status_code or err.cause.message or err.user_message }
end

rest.spawn(function()
  local page = web:resource_at(start)
  local html, err = page:get()
  if not html then error(err) end
  local results, broken = rest.gather(links_of(page, html), 8, check), 0
  for _, result in ipairs(results) do
    if result.problem then
      broken = broken + 1
      print(("%s  %s"):format(result.problem, result.url))
    end
  end
  print(("%d links, %d of them broken"):format(#results, broken))
  if broken > 0 then error("the page has broken links", 0) end
end)
