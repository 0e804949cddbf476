local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("progress", function()
  t.test("12.1: 1 for every request that ended", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    host:stub("POST", url, { status = 404 })
    host:stub("PUT", url, { error = { type = "timeout", message = "slow" } })
    for _, request in ipairs {
      r:request("GET"), r:request("POST"), r:request("PUT"), r:request("PATCH", { json = 1 }) } do
      request:await()
      t.equal(request.progress, 1)
    end
  end)

  t.test("12.3: the last report is 1, before the other hooks", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local log = {}
    r:load():on_completion(function() log[#log + 1] = "completion" end):on_progress(function(p) log[#log + 1] = p end)
    host:settle()
    t.equal(log[#log], "completion")
    t.equal(log[#log - 1], 1)
  end)

  t.test("12.2, 12.4: grows while it waits", function()
    local host, r, service = setup()
    service:configure("**", function(c) c.progress_interval = 0.5 end)
    local gate = host:stub("GET", url, { text = "x", gated = true })
    local seen = {}
    r:load():on_progress(function(p) seen[#seen + 1] = p end)
    for _ = 1, 8 do host:advance(0.25) end
    gate:go()
    host:settle()
    t.assert(#seen >= 4 and #seen <= 6, #seen .. " reports")
    for i = 2, #seen do t.assert(seen[i] > seen[i - 1]) end
    t.equal(seen[#seen], 1)
    t.assert(seen[1] >= 0 and seen[#seen - 1] < 1)
  end)

  t.test("12.5: a late hook gets a single 1", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local request = r:load()
    request:await()
    local seen = {}
    request:on_progress(function(p) seen[#seen + 1] = p end)
    t.equal(seen, {})
    host:settle()
    t.equal(seen, { 1 })
  end)

  t.test("12.6: observers are notified of loads", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local seen = {}
    local observer = { progress = function(_, resource, p) seen[#seen + 1] = p t.assert(resource == r) end }
    r:add_observer(observer)
    r:request("GET"):await()
    t.equal(seen, {})
    r:load():await()
    t.equal(seen[#seen], 1)
  end)

  t.test("custom progress", function()
    local host = setup()
    local fraction, seen = 0.25, {}
    local request = host.rest.custom_request { start = function() end, progress = function() return fraction end }
    request:on_progress(function(p) seen[#seen + 1] = p end)
    request:start()
    host:advance(0.1)
    fraction = 0.5
    host:advance(0.1)
    request:cancel()
    host:settle()
    t.equal(seen, { 0.25, 0.5, 1 })
  end)
end)
