local t = require "resthost.test"

local base = "http://127.0.0.1:8081"
local host, logins, valid

t.before_each(function()
  host = t.load "tenant_tokens.lua"
  valid = {}
  logins = host:stub("POST", base .. "/login", function(request)
    local account = host.rest.json.decode(request.body)
    local token = ("token-of-%s-%d"):format(account.id, #logins.requests)
    valid["Bearer " .. token] = account.id
    return { json = { token = token } }
  end)
  host:stub("GET", base .. "/contacts", function(request)
    local account = valid[request.headers.authorization or ""]
    return account and { json = { owner = account } } or { status = 401 }
  end)
end)

local function contacts(client) return host:request("GET", "/crm/contacts", { client = client }) end

t.test("each client gets its own data with its own token", function()
  t.equal(contacts("north").json, { owner = "north-account" })
  t.equal(contacts("south").json, { owner = "south-account" })
  t.equal(contacts("north").json, { owner = "north-account" })
  t.equal(#logins.requests, 2)
end)

t.test("a token that has expired is renewed, for its client only", function()
  contacts "north"
  contacts "south"
  valid["Bearer token-of-north-account-1"] = nil
  host:advance(61)
  t.equal(contacts("north").json, { owner = "north-account" })
  t.equal(contacts("south").json, { owner = "south-account" })
  t.equal(#logins.requests, 3)
end)

t.test("a client without a key gets nothing", function()
  t.equal(host:request("GET", "/crm/contacts").status, 401)
  t.equal(host:request("GET", "/crm/login", { client = "north" }).status, 404)
  t.equal(#logins.requests, 0)
end)
