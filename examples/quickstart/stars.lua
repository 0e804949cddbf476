-- A job: adds up the stars of two users' repositories, both users at a time, and ends.
local rest = require "resthost"

local api = rest.service {
  name = "api",
  base_url = os.getenv "API_URL" or "http://127.0.0.1:8081",
}

local function stars(login)
  local repos, err = api:resource("/users"):child(login):child("repos"):get()
  if not repos then return nil, err end
  local sum = 0
  for _, repo in ipairs(repos) do sum = sum + repo.stargazers_count end
  return sum
end

rest.spawn(function()
  local logins = { "octocat", "hubot" }
  local sums, err = rest.gather(logins, 2, stars)
  if not sums then error(err) end
  for index, login in ipairs(logins) do print(login, sums[index]) end
end)
