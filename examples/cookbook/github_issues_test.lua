local t = require "resthost.test"

local first = "https://api.github.com/repos/octocat/hello-world/issues?per_page=100"
local host

t.before_each(function() host = t.load "github_issues.lua" end)

local function issue(number, more)
  local item = { number = number, title = "Title " .. number, user = { login = "ada" } }
  for name, value in pairs(more or {}) do item[name] = value end
  return item
end

t.test("all pages come as one list, without pull requests", function()
  host:stub("GET", first, {
    json = { issue(1), issue(2, { pull_request = {} }) },
    headers = { Link = ('<%s&page=2>; rel="next", <%s&page=2>; rel="last"'):format(first, first) },
  })
  host:stub("GET", first .. "&page=2", { json = { issue(3) } })
  t.equal(host:request("GET", "/github/all/octocat/hello-world/issues").json, {
    { number = 1, title = "Title 1", author = "ada" }, { number = 3, title = "Title 3", author = "ada" },
  })
end)

t.test("a limit that ends soon is waited for", function()
  local stub = host:stub("GET", first, { status = 403, headers = { ["X-RateLimit-Reset"] = "1000030" } })
  local list
  host.rest.spawn(function()
    list = host.services.github:resource("/all/octocat/hello-world/issues"):get()
  end)
  host:advance(29)
  t.equal(#stub.requests, 1)
  host:stub("GET", first, { json = { issue(1) } })
  host:advance(1)
  t.equal(#list, 1)
end)

t.test("a limit that ends in an hour is an error at once", function()
  local stub = host:stub("GET", first, { status = 403, headers = { ["X-RateLimit-Reset"] = "1003600" } })
  t.equal(host:request("GET", "/github/all/octocat/hello-world/issues").status, 403)
  t.equal(#stub.requests, 1)
end)

t.test("only the lists are for clients", function()
  t.equal(host:request("GET", "/github/user").status, 404)
end)
