-- All open issues of a repository of GitHub as one resource, however many pages there are.
--
--   resthost get github_issues.lua /all/octocat/hello-world/issues
local rest = require "resthost"

local url = rest.env.GITHUB_URL or "https://api.github.com"
local github = rest.service { name = "github", base_url = url }

github:configure("**", function(c)
  c.accept = "application/vnd.github+json"
  c.headers["X-GitHub-Api-Version"] = "2022-11-28"
  if rest.env.GITHUB_TOKEN then c.headers["Authorization"] = "Bearer " .. rest.env.GITHUB_TOKEN end
end)

-- GitHub counts requests for an hour, and says in a 403 when the next one may come.
github:configure("**", { methods = "GET" }, function(c)
  c.retry = {
    when = function(err)
      local reset = err.entity and tonumber(err.entity.headers["X-RateLimit-Reset"])
      if err.http_status_code == 403 and reset then return reset - rest.now() < 60 and reset - rest.now() end
    end,
    cap = 60,
  }
end)

github:use("pages", {
  path = "/all/{owner}/{repo}/issues",
  source = "/repos/{owner}/{repo}/issues",
  limit = 100,
  expiration_time = 300,
})

-- GitHub lists pull requests as issues, too.
github:configure("/all/*/*/issues", function(c)
  c.pipeline.model:add(function(issues)
    local list = rest.json.array {}
    for _, issue in ipairs(issues) do
      if not issue.pull_request then
        list[#list + 1] = { number = issue.number, title = issue.title, author = issue.user.login }
      end
    end
    return list
  end)
end)

rest.gateway { expose = { github = { paths = { "/all/**" } } } }
