local t = require "resthost.test"

local function host_with(options, url)
  local host = t.load {
    source = ([[
      local rest = require "resthost"
      local api = rest.service { name = "api", base_url = "https://api.example/v1" }
      api:use("api_key", %s)
    ]]):format(options),
  }
  local stub = host:stub("GET", url or "**", { json = {} })
  host.services.api:resource_at(url or "https://api.example/v1/a?b=c"):load()
  host:settle()
  return stub.requests[1], host
end

t.test("the key is sent in a header", function()
  local request = host_with '{ header = "X-Api-Key", value = "key-of-plugin" }'
  t.equal(request.headers["x-api-key"], "key-of-plugin")
end)

t.test("the key is sent in the query, escaped", function()
  t.equal(host_with('{ query = "api key", value = "a&b" }').url, "https://api.example/v1/a?b=c&api%20key=a%26b")
  local request = host_with('{ query = "key", value = "key-of-plugin" }', "https://api.example/v1/a")
  t.equal(request.url, "https://api.example/v1/a?key=key-of-plugin")
end)

t.test("another origin and other paths don't get the key", function()
  t.equal(host_with('{ header = "X-Key", value = "key-of-plugin" }', "https://other.example/").headers["x-key"], nil)
  t.equal(host_with('{ header = "X-Key", value = "key-of-plugin", pattern = "/b/**" }').headers["x-key"], nil)
end)

t.test("the key of the query is hidden in errors", function()
  local _, host = host_with '{ query = "key", value = "key-of-plugin" }'
  host:stub("GET", "**", { status = 500 })
  local _, err = host.services.api:resource("/x"):get()
  t.equal(tostring(err):find("key-of-plugin", 1, true), nil)
end)
