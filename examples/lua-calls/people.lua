-- The API in ../quickstart/fixtures: the common parts of all its requests, and a definition for each.
local rest = require "resthost"

local api = rest.service { name = "people", base_url = os.getenv "API_URL" or "http://127.0.0.1:8081" }
local token

local root = api:endpoint("", {
  headers = { Accept = "application/json" },
  configure = function(c) c.timeouts.total = 10 end,
})
local users = root:endpoint "users"
-- The token is read for each request, because mutations run for each request.
local notes = root:endpoint("private/notes", {
  configure = function(c)
    c:mutate_requests(function(draft)
      if token then draft.headers.Authorization = "Bearer " .. token end
    end)
  end,
})

local people = {
  all = users:define "GET",
  user = users:define("GET", "{login}"),
  repositories = users:define("GET", "{login}/repos", function(_, page)
    return { query = page and { { "page", page }, { "per_page", 2 } } or {} }
  end),
  add = users:define("PUT", "{login}", function(user) return { json = user } end),
  delete = users:define("DELETE", "{login}"),
  all_notes = notes:define "GET",
}

local login = root:define("POST", "-/login", { json = { user = "lua", password = "not a secret" } })

function people.log_in()
  local entity, err = login:send():await()
  if not entity then return nil, err end
  token = entity.content.token
  return true
end

return people
