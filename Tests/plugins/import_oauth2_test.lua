-- Where the import meets the plugin oauth2: the flows of a document become its options.
local t = require "resthost.test"
local import = require "resthost.import_openapi"
local imported = require "imported"

local host

-- An API whose only scheme is this one.
local function api_with(scheme, options)
  local document = {
    openapi = "3.2.0", info = { title = "T", version = "1" }, servers = { { url = "https://a.test/v1" } },
    paths = { ["/x"] = { get = {} } }, components = { securitySchemes = { login = scheme } },
  }
  host = t.host()
  return imported.api(assert(import.run(document, { output = "a" })), host, options)
end

local function with_flow(name, flow, options)
  flow.scopes = { read = "Read all." }
  return api_with({ type = "oauth2", flows = { [name] = flow } }, options)
end

local function token_stub(url)
  local token = { access_token = "acc-123456", token_type = "Bearer", expires_in = 3600 }
  return host:stub("POST", url, { json = token })
end

local function sends_token(api)
  local stub = host:stub("GET", "https://a.test/v1/x", { json = {} })
  t.assert(api.get_x():get())
  t.equal(stub.requests[1].headers.authorization, "Bearer acc-123456")
end

t.test("client credentials, with a token URL that is relative to the API's host", function()
  local api = with_flow("clientCredentials", { tokenUrl = "/token" }, {
    login_client_id = "id", login_client_secret = "secret-123", login_scope = "read",
  })
  local token = token_stub "https://a.test/token"
  sends_token(api)
  t.matches(token.requests[1].body, "scope=read")
end)

t.test("a refresh token for flows with a person", function()
  for _, name in ipairs { "authorizationCode", "password" } do
    local flow = { tokenUrl = "https://id.test/token", authorizationUrl = "https://id.test/auth" }
    local api = with_flow(name, flow, { login_client_id = "id", login_refresh_token = "ref-123456" })
    local token = token_stub "https://id.test/token"
    sends_token(api)
    t.matches(token.requests[1].body, "grant_type=refresh_token")
  end
end)

t.test("a login for a client without a refresh token", function()
  local fields = { authorizationCode = "authorizationUrl", deviceAuthorization = "deviceAuthorizationUrl" }
  for name, field in pairs(fields) do
    local flow = { tokenUrl = "https://id.test/token", [field] = "https://id.test/start" }
    local _, err = with_flow(name, flow, { login_client_id = "id" }).get_x():get()
    t.matches(tostring(err), "resthost login")
  end
end)

t.test("OpenID Connect, by its issuer", function()
  local url = "https://id.test/.well-known/openid-configuration"
  local api = api_with({ type = "openIdConnect", openIdConnectUrl = url }, {
    login_client_id = "id", login_client_secret = "secret-123",
  })
  host:stub("GET", url, { json = { issuer = "https://id.test", token_endpoint = "https://id.test/token" } })
  token_stub "https://id.test/token"
  sends_token(api)
end)

t.test("a token that was made elsewhere", function()
  local flow = { authorizationUrl = "https://id.test/auth" }
  sends_token(with_flow("implicit", flow, { login_token = "acc-123456" }))
end)
