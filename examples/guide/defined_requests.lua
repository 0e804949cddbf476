-- Requests as values: an endpoint has their common parts, each request adds its own, modifiers give variants.
local rest = require "resthost"
local api = require "service" "defined_requests"

local users = api:endpoint("users", {
  headers = { Accept = "application/json", Authorization = "Basic secret" },
  query = { { "v", 2 } },
  configure = function(c) c.expiration_time = 300 end,
})

local requests = {
  all = users:define("GET"),
  find = users:define("GET", function(name, tags) return { query = { { "name", name }, { "tag", tags } } } end),
  one = users:define("GET", "{login}"),
  repos = users:define("GET", "{login}/repos", function(login, page) return { query = { { "page", page } } } end),
  add = users:define("POST", function(user) return { json = user } end),
}
requests.first_page = requests.all:setting_query("page", 1):setting_header("Authorization", "Bearer token")

return { service = api, requests = requests }
