local t = require "resthost.test"

local base = "http://127.0.0.1:2379/v3/"
local host, rest

local function pair(key, value, revision)
  return {
    key = rest.base64.encode(key), value = rest.base64.encode(value or ""), version = "1",
    create_revision = "1", mod_revision = tostring(revision),
  }
end

t.before_each(function()
  host = t.load "etcd_settings.lua"
  rest = host.rest
  host:stub("POST", base .. "kv/range", {
    json = { header = { revision = "7" }, kvs = { pair("settings/color", "red", 5) } },
  })
  host:stub("POST", base .. "lease/grant", { json = { header = { revision = "7" }, ID = "9" } })
  host:stub("POST", base .. "lease/keepalive", { json = { result = { TTL = "15" } } })
  host:stub("POST", base .. "lease/revoke", { json = { header = { revision = "7" } } })
  host:stub("POST", base .. "kv/txn", { json = { header = { revision = "8" }, succeeded = true } })
  host:stub("POST", base .. "watch", { gated = true })
end)

t.test("settings are read, and changes are followed from the next revision on", function()
  local events = {
    { kv = pair("settings/color", "blue", 8) }, { type = "DELETE", kv = pair("settings/old", nil, 9) },
  }
  local line = rest.json.encode { result = { header = { revision = "9" }, events = events } } .. "\n"
  local watch = host:stub("POST", base .. "watch", { body = line, gated = true })
  host:settle()
  t.equal(host:request("GET", "/settings").json, { color = "red" })
  t.matches(watch.requests[1].body, '"start_revision":8')
  watch:go()
  host:settle()
  t.equal(host:request("GET", "/settings").json, { color = "blue" })
end)

t.test("the host that gets the key does the job, and keeps it", function()
  local alive = host:stub("POST", base .. "lease/keepalive", { json = { result = { TTL = "15" } } })
  host:advance(16)
  t.equal(host:request("GET", "/runs").json, { runs = 3, leader = true })
  t.equal(#alive.requests, 2)
end)

t.test("a host that doesn't get the key gives its lease back", function()
  host:stub("POST", base .. "kv/txn", { json = { header = { revision = "8" } } })
  local revoked = host:stub("POST", base .. "lease/revoke", { json = { header = { revision = "7" } } })
  host:advance(6)
  t.equal(host:request("GET", "/runs").json, { runs = 0, leader = false })
  t.equal(#revoked.requests, 1)
end)

t.test("a lease that has ended is taken anew", function()
  host:advance(6)
  host:stub("POST", base .. "lease/keepalive", { json = { result = {} } })
  host:advance(5)
  t.equal(host:request("GET", "/runs").json, { runs = 2, leader = true })
end)
