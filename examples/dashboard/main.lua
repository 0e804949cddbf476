-- A dashboard of three APIs: one resource that is made of three, and a page that follows it.
local rest = require "resthost"

local etcd = rest.service { name = "etcd", base_url = os.getenv "ETCD_URL" or "http://127.0.0.1:2379" }
local prometheus = rest.service { name = "prometheus", base_url = os.getenv "PROMETHEUS_URL" or "http://127.0.0.1:9090" }
local httpbin = rest.service { name = "httpbin", base_url = os.getenv "HTTPBIN_URL" or "http://127.0.0.1:8000" }
local page = rest.service { name = "page" }

for _, api in ipairs { etcd, prometheus, httpbin } do
  api:configure("**", function(c)
    c.expiration_time, c.refresh_while_observed, c.timeouts.total = 1, 2, 3
  end)
end

-- After a restart, and offline, the last dashboard is there at once.
page:configure("**", function(c) c.pipeline.cleanup.cache = rest.cache.sqlite { path = "dashboard.db" } end)

-- Shapes the content; without one it is the reason, with the last content.
local function part(resource, shape)
  local content, err = resource:get()
  if content then return shape(content) end
  local last = resource.latest_data
  return { error = err.user_message, last = last and shape(last.content) }
end

page:computed("/dashboard/{name}", { expiration_time = 2 }, function(params)
  local up = prometheus:resource("/api/v1/query"):with_param("query", "up")
  local parts = rest.all {
    function() return part(etcd:resource("/version"), function(v) return { version = v.etcdserver } end) end,
    function() return part(up, function(v) return { targets = #v.data.result } end) end,
    function() return part(httpbin:resource("/uuid"), function(v) return { id = v.uuid } end) end,
  }
  return { name = params.name, etcd = parts[1], prometheus = parts[2], httpbin = parts[3] }
end)

local gateway = rest.gateway { listen = "127.0.0.1:8080", expose = { page = { paths = { "/dashboard/*" } } } }
gateway:route("GET", "/", { expiration_time = 60 }, function()
  return rest.response { file = "page.html" }
end)
