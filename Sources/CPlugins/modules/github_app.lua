-- Sends the tokens of an installation of a GitHub App.
local rest = require "resthost"
local dates = require "resthost.dates"
local jwt = require "resthost.jwt"
local oauth2_client = require "resthost.oauth2_client"
local plugin = require "resthost.plugin"
local remote = require "resthost.remote"
local scope = require "resthost.scope"
local server_clock = require "resthost.server_clock"
local token_keeper = require "resthost.token_keeper"

-- GitHub takes ten minutes at most, and a beginning in the past for clocks that differ.
local function app_token(options, now)
  local claims = { iss = tostring(options.app_id), iat = now - 60, exp = now + 540 }
  return jwt.sign(claims, { key = options.private_key, algorithm = "RS256" })
end

-- How long a token is valid: to its end by GitHub's clock, which the header says.
local function lifetime_of(answer, headers)
  local stop = dates.of_iso(answer.expires_at)
  if not stop then return nil end
  return math.max(1, stop - (dates.of_http(headers.Date) or rest.now()))
end

local function fetch(login, clock, url, options)
  local wanted = rest.json.object { repositories = options.repositories, permissions = options.permissions }
  local headers = { Accept = "application/vnd.github+json", ["X-GitHub-Api-Version"] = "2022-11-28" }
  local answer, about, refusal = server_clock.with_time(clock, function(now)
    headers.Authorization = "Bearer " .. app_token(options, now)
    local request = login:resource_at(url):request("POST", { json = wanted, headers = headers })
    return remote.answer(request, "POST", url)
  end)
  if not answer then
    local hints = { [401] = ": check 'app_id' and 'private_key'", [404] = ": check 'installation_id'" }
    return nil, about .. (hints[refusal.status] or "")
  end
  if not oauth2_client.is_token(answer.token) then
    return nil, ("POST %s gave no 'token'"):format(url)
  end
  return { token = answer.token, lifetime = lifetime_of(answer, about) }
end

return plugin {
  name = "github_app",
  description = "Sends the token of an installation of a GitHub App, which it gets once for all requests and "
    .. "renews early.",
  options = scope.options(table.move(token_keeper.options, 1, #token_keeper.options, 7, {
    {
      name = "app_id", type = "string | integer", required = true,
      description = "The ID of the app, or its client ID.",
    },
    {
      name = "private_key", type = "string", required = true, secret = true,
      description = "The private key of the app, in PEM as GitHub gives it.",
    },
    {
      name = "installation_id", type = "string | integer", required = true,
      description = "The ID of the installation.",
    },
    {
      name = "api_url", type = "string", default = "https://api.github.com",
      description = "The URL of the API, such as `https://github.example.com/api/v3`.",
    },
    { name = "repositories", type = "string[]", description = "The repositories to limit the token to." },
    {
      name = "permissions", type = "table", description = "The permissions to limit the token to, by name.",
    },
  })),
  use = function(service, options)
    local id = tostring(options.installation_id)
    if not id:find "^%d+$" then
      plugin.blame(("option 'installation_id' to 'github_app' is a number, not '%s'"):format(id))
    end
    remote.check(options.api_url, "api_url")
    app_token(options, 0)
    local url = ("%s/app/installations/%s/access_tokens"):format(options.api_url:gsub("/$", ""), id)
    local clock, login = server_clock.new(), remote.service(service.name .. " login", url, options.transport)
    local limits = rest.json.encode { options.repositories or {}, options.permissions or {} }
    token_keeper.new(service, {
      name = "github_app", owner = token_keeper.owner(("%s at %s"):format(options.app_id, url), { limits }),
      fetch = function() return fetch(login, clock, url, options) end,
      store = options.store, renew_before = options.renew_before,
    }):apply(options)
  end,
}
