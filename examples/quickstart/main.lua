-- The requests to the API in fixtures/. Everything is declared once, by URL pattern.
-- A client that asks the gateway for /api/users/octocat needs to know none of it.
local rest = require "resthost"

local api = rest.service {
  name = "api",
  base_url = os.getenv "API_URL" or "http://127.0.0.1:8081",
}

local token

api:configure("**", function(c)
  c.headers["User-Agent"] = "quickstart"
  if token then c.headers["Authorization"] = "Bearer " .. token end
end)

api:configure("/users/**", function(c) c.expiration_time = 300 end)
api:configure("/private/**", function(c) c.expiration_time = 5 end)

api:configure_transformer("/users/*", function(user)
  return {
    login = user.login,
    name = user.name,
    company = user.company,
    member_since = user.created_at:sub(1, 10),
  }
end)

api:configure_transformer("/users/*/repos", function(repos)
  table.sort(repos, function(a, b) return a.stargazers_count > b.stargazers_count end)
  local list = rest.json.array {}
  for index, repo in ipairs(repos) do
    list[index] = { name = repo.name, language = repo.language, stars = repo.stargazers_count }
  end
  return list
end)

-- Gets a token now, and the next one after four fifths of its lifetime.
local function log_in()
  local credentials = { user = "quickstart", password = "not a secret" }
  local answer, err = api:resource("/-/login"):request("POST", { json = credentials }):await()
  if not answer then
    rest.log.warn("cannot log in, trying again in a second", { error = tostring(err) })
    return rest.after(1, log_in)
  end
  token = answer.json.token
  api:invalidate_configuration()
  rest.log.info("logged in", { expires_in = answer.json.expires_in })
  rest.after(answer.json.expires_in * 0.8, log_in)
end

rest.spawn(log_in)

local gateway = rest.gateway {
  listen = "127.0.0.1:8080",
  expose = { api = { paths = { "/users/**", "/private/**" } } },
}

gateway:route("GET", "/stars/{login}", function(request)
  local repos, err = api:resource("/users"):child(request.params.login):child("repos"):get()
  if not repos then error(err) end
  local sum = 0
  for _, repo in ipairs(repos) do sum = sum + repo.stars end
  return { login = request.params.login, stars = sum }
end)
