local t = require "resthost.test"

local project = "https://gitlab.com/api/v4/projects/group%2Fname/pipelines"
local host

t.before_each(function() host = t.load "gitlab_pipelines.lua" end)

t.test("failed pipelines of all pages are listed", function()
  local query = "?order_by=id&per_page=100&status=failed"
  local stub = host:stub("GET", project .. query, {
    json = { { id = 1, ref = "main", web_url = "https://gitlab.com/1" } },
    headers = { Link = ('<%s%s&page=2>; rel="next"'):format(project, query) },
  })
  host:stub("GET", project .. query .. "&page=2", {
    json = { { id = 2, ref = "dev", web_url = "https://gitlab.com/2" } },
  })
  t.equal(host:request("GET", "/failed?project=group%2Fname").json, {
    {
      id = 1, branch = "main", url = "https://gitlab.com/1",
    }, { id = 2, branch = "dev", url = "https://gitlab.com/2" },
  })
  t.equal(stub.requests[1].headers["private-token"], "no-token")
end)

t.test("a pipeline is started again", function()
  host:stub("POST", project .. "/7/retry", { status = 201, json = { status = "running" } })
  local answer = host:request("POST", "/retry/7?project=group%2Fname")
  t.equal({ answer.status, answer.json.status }, { 202, "running" })
end)

t.test("an error of GitLab is an error for the client", function()
  host:stub("GET", project .. "?*", { status = 404, json = { message = "404 Project Not Found" } })
  local answer = host:request("GET", "/failed?project=group%2Fname")
  t.equal(answer.status, 404)
end)
