local t = require "resthost.test"

local base = "https://registry-1.docker.io/v2/library/alpine/tags/list"
local host

local function challenge(request)
  if request.headers.authorization == "Bearer good-token" then return nil end
  return {
    status = 401, json = { errors = {} },
    headers = {
      ["WWW-Authenticate"] = 'Bearer realm="https://auth.docker.io/token",service="registry.test",scope="x"',
    },
  }
end

t.before_each(function() host = t.load "docker_tags.lua" end)

t.test("a challenge is answered with a token of its scope, which is used again", function()
  local logins = host:stub("GET", "https://auth.docker.io/token?**", { json = { token = "good-token" } })
  local tags = host:stub("GET", base .. "*", function(request)
    local refusal = challenge(request)
    if refusal then return refusal end
    if request.url:find "last=" then return { json = { tags = { "3.1" } } } end
    return {
      json = { tags = { "3.0" } },
      headers = { Link = '</v2/library/alpine/tags/list?last=3.0&n=1000>; rel="next"' },
    }
  end)
  t.equal(t.assert(host.services.registry:resource("/tags/library/alpine"):get()), { "3.0", "3.1" })
  t.equal(#logins.requests, 1)
  t.equal(logins.requests[1].url,
    "https://auth.docker.io/token?scope=repository:library/alpine:pull&service=registry.test")
  t.equal(#tags.requests, 3)
end)

t.test("a token that is refused is an error, and no circle", function()
  local logins = host:stub("GET", "https://auth.docker.io/token?**", { json = { token = "bad-token" } })
  host:stub("GET", base .. "*", challenge)
  local _, err = host.services.registry:resource("/tags/library/alpine"):get()
  t.equal(err.http_status_code, 401)
  t.equal(#logins.requests, 1)
end)

t.test("a challenge of another server gets no password", function()
  host:stub("GET", base .. "*", {
    status = 401, json = {}, headers = { ["WWW-Authenticate"] = 'Bearer realm="https://evil.test/token"' },
  })
  local evil = host:stub("GET", "https://evil.test/**", { json = { token = "x" } })
  local _, err = host.services.registry:resource("/tags/library/alpine"):get()
  t.matches(tostring(err), "asks for no token of https://auth.docker.io/")
  t.equal(#evil.requests, 0)
end)

t.test("a login that fails is the error", function()
  host:stub("GET", "https://auth.docker.io/token?**", { status = 403 })
  host:stub("GET", base .. "*", challenge)
  local _, err = host.services.registry:resource("/tags/library/alpine"):get()
  t.equal(err.http_status_code, 403)
end)
