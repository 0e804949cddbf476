-- The tags of images in a Docker registry, which asks for a token (docs.docker.com: token authentication).
--
--   resthost get docker_tags.lua registry /tags/library/alpine
local rest = require "resthost"

local address = rest.env.REGISTRY_URL or "https://registry-1.docker.io"
local registry = rest.service { name = "registry", base_url = address }
-- The password goes to this server only, whatever a challenge says.
local login = rest.env.REGISTRY_AUTH or "https://auth.docker.io"
local accounts = rest.service { name = "accounts", base_url = login }
local user, password = rest.env.REGISTRY_USER, rest.env.REGISTRY_PASSWORD
local tokens = {}

accounts:configure(function(c)
  if user then c:decorate_requests(rest.auth.basic(user, password or "")) end
end)

-- The scope that a path needs, such as repository:library/alpine:pull.
local function scope_of(url)
  local name = url:match "/v2/(.+)/tags/list" or url:match "/v2/(.+)/manifests/"
  return name and ("repository:%s:pull"):format(name) or "registry:catalog:*"
end

-- Asks the server that the challenge names for a token.
local function log_in(challenge, scope)
  local realm, name = challenge:match 'realm="([^"]+)"', challenge:match 'service="([^"]+)"'
  if not realm or rest.url.parse(realm).host ~= rest.url.parse(accounts.base_url).host then
    return nil, rest.error { user_message = "The registry asks for no token of " .. accounts.base_url }
  end
  local server = accounts:resource_at(realm):with_params { service = name, scope = scope }
  local answer, err = server:load():await()
  if not answer then return nil, err end
  tokens[scope] = rest.secret(answer.json.token or answer.json.access_token)
  registry:invalidate_configuration()
  return true
end

registry:configure("/v2/**", function(c)
  local scope = scope_of(c.url)
  c.headers["Authorization"] = tokens[scope] and "Bearer " .. tokens[scope]
  c:decorate_requests(function(_, request)
    return request:chained(function(info)
      local err = info.response.error
      if not err or err.http_status_code ~= 401 or not err.entity then return rest.use_this_response end
      local ok, problem = log_in(err.entity.headers["WWW-Authenticate"] or "", scope)
      if not ok then return rest.use_response(problem) end
      return rest.pass_to(request:repeated())
    end)
  end)
end)

registry:use("pages", {
  path = "/tags/{name*}", items = "tags", limit_parameter = "n", limit = 1000, expiration_time = 60,
  source = function(params) return registry:resource("/v2/" .. params.name .. "/tags/list") end,
})
