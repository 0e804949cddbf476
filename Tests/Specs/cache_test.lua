local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

-- A custom cache over a table, which logs its calls.
local function cache_of(host, log, entries, extra)
  local functions = {
    key = function(resource) return resource.url end,
    read = function(key) log[#log + 1] = "read" return entries[key] end,
    write = function(key, entity) log[#log + 1] = "write " .. tostring(entity.content) entries[key] = entity end,
    remove = function(key) log[#log + 1] = "remove" entries[key] = nil end,
  }
  for name, fn in pairs(extra or {}) do functions[name] = fn end
  return host.rest.cache.custom(functions)
end

local function setup(extra, stage)
  local host, service = support.service()
  local log, entries = {}, {}
  local cache = cache_of(host, log, entries, extra)
  service:configure("**", function(c) c.pipeline[stage or "cleanup"].cache = cache end)
  return host, service:resource("/foo"), { log = log, entries = entries, service = service }
end

local function entity(host, content, timestamp)
  return host.rest.entity { content = content, content_type = "text/plain", timestamp = timestamp }
end

local function watch(r)
  local observer = support.observer()
  r:add_observer(observer)
  return observer
end

t.test("22.6, 22.9: written after its stage; read when a resource is first used", function()
  local host, r, c = setup()
  host:stub("GET", url, { text = "net" })
  t.assert(r:load():await())
  host:settle()
  t.equal(c.entries[url].content, "net")
end)

t.test("5.9: a fresh hit: no request", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  local stub = host:stub("GET", url, { text = "net" })
  local observer = watch(r)
  local request = r:load_if_needed()
  t.assert(r.is_loading)
  t.equal(r.latest_data, nil)
  local hooks = support.hooks(request)
  host:settle()
  t.equal(observer.events, { "observer_added", "new_data(cache)", "not_modified" })
  t.equal(observer.states[2].is_loading, true)
  t.equal(observer.states[3].is_loading, false)
  t.equal(hooks, { "completion", "success", "new_data" })
  t.equal(#stub.requests, 0)
  t.equal(r.text, "cached")
  t.equal(r.timestamp, 999990)
  t.equal(r:load_if_needed(), nil)
end)

t.test("5.10: a miss", function()
  local host, r = setup()
  host:stub("GET", url, { text = "net" })
  local observer = watch(r)
  t.assert(r:load_if_needed():await())
  t.equal(observer.events, { "observer_added", "requested", "new_data(network)" })
end)

t.test("5.11: a stale hit", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 1)
  host:stub("GET", url, { text = "net" })
  local observer = watch(r)
  local seen = {}
  r:load_if_needed():on_success(function(e) seen[#seen + 1] = e.content end)
  host:settle()
  t.equal(observer.events, { "observer_added", "new_data(cache)", "requested", "new_data(network)" })
  t.equal(seen, { "net" })
end)

t.test("5.8: one request for several calls", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  t.assert(r:load_if_needed() == r:load_if_needed())
  host:settle()
end)

t.test("get() answers from a fresh hit", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  t.equal(t.assert(r:get()), "cached")
end)

t.test("22.8: looking at the data starts the look-up, once", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 1)
  t.equal(r.latest_data, nil)
  t.equal(r.latest_data, nil)
  host:settle()
  t.equal(r.text, "cached")
  t.equal(c.log, { "read" })
end)

t.test("22.16: load() doesn't wait; the later hit is dropped (22.11)", function()
  local host, r
  host, r = setup { read = function() host.rest.sleep(5) return entity(host, "cached", 1) end }
  host:stub("GET", url, { text = "net" })
  local observer = watch(r)
  t.assert(r:load():await())
  host:advance(10)
  t.equal(observer.events, { "observer_added", "requested", "new_data(network)" })
  t.equal(r.text, "net")
end)

t.test("22.11: an override in the meantime wins", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  t.equal(r.latest_data, nil)
  r:override_local_content("mine")
  host:settle()
  t.equal(r.text, "mine")
end)

t.test("22.3: no key, no part", function()
  local host, r, c = setup { key = function() return nil end }
  host:stub("GET", url, { text = "net" })
  t.assert(r:load_if_needed():await())
  r:override_local_content("x")
  r:wipe()
  host:settle()
  t.equal(c.log, {})
end)

t.test("22.7: failures are not written", function()
  local host, r, c = setup()
  host:stub("GET", url, { status = 500, text = "no" })
  r:load():await()
  host:settle()
  t.equal(c.entries[url], nil)
end)

t.test("22.12: a 304 moves the timestamp", function()
  local host, r, c = setup()
  host:stub("GET", url, { text = "net", headers = { ETag = "1" } })
  t.assert(r:load():await())
  host:settle()
  host:clock(1500000)
  host:stub("GET", url, { status = 304 })
  r:load():await()
  host:settle()
  t.equal(c.entries[url].timestamp, 1500000)
  t.equal(c.entries[url].content, "net")
end)

t.test("22.12: update_timestamp, when there is one", function()
  local updates = {}
  local host, r, c = setup { update_timestamp = function(key, time) updates[#updates + 1] = { key, time } end }
  host:stub("GET", url, { text = "net", headers = { ETag = "1" } })
  t.assert(r:load():await())
  host:clock(1500000)
  host:stub("GET", url, { status = 304 })
  r:load():await()
  host:settle()
  t.equal(updates, { { url, 1500000 } })
end)

t.test("22.13: an override removes", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  r:override_local_content("mine")
  host:settle()
  t.equal(c.entries[url], nil)
end)

t.test("D15: a wipe removes, and nothing comes back", function()
  local host, r, c = setup()
  host:stub("GET", url, { text = "net" })
  t.assert(r:load():await())
  host:settle()
  local observer = watch(r)
  r:wipe()
  host:settle()
  t.equal(c.entries[url], nil)
  t.equal(r.latest_data, nil)
  t.equal(observer.events, { "observer_added", "new_data(wipe)" })
end)

t.test("D16: a hit isn't written back", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  t.assert(r:get())
  host:settle()
  t.equal(c.log, { "read" })
end)

t.test("D17: only GET loads write", function()
  local host, r, c = setup()
  for _, method in ipairs { "GET", "POST", "PUT" } do
    host:stub(method, url, { text = method })
    t.assert(r:request(method):await())
  end
  host:settle()
  t.equal(c.entries[url], nil)
  local get = r:request("GET")
  get:await()
  r:load_using(get)
  host:settle()
  t.equal(c.entries[url].content, "GET")
end)

t.test("a look-up's request, promoted by itself or in a chain, waits for nobody that waits for it", function()
  for _, promote in ipairs {
    function(_, r) return r:load_using(r:load_if_needed()) end,
    function(host, r)
      return r:load_using(r:load_if_needed():chained(function() return host.rest.use_this_response end))
    end,
  } do
    local host, r = setup()
    host:stub("GET", url, { text = "net" })
    t.equal(t.assert(promote(host, r):await()).content, "net")
    host:settle()
    t.equal(r.text, "net")
    t.equal(r.is_loading, false)
  end
end)

t.test("13.21: adding an observer starts the look-up", function()
  local host, r, c = setup()
  c.entries[url] = entity(host, "cached", 999990)
  local observer = watch(r)
  host:settle()
  t.equal(observer.events, { "observer_added", "new_data(cache)" })
  t.equal(c.log, { "read" })
end)

t.test("21.8: logging out: invalidate the configuration, wipe the resources", function()
  local host, r, c = setup()
  local token = "mine"
  c.service:configure("**", function(b) b.headers["Authorization"] = token end)
  local stub = host:stub("GET", url, { text = "private" })
  t.assert(r:load():await())
  host:settle()
  token = nil
  c.service:invalidate_configuration()
  c.service:wipe_resources()
  host:settle()
  t.equal(r.latest_data, nil)
  t.equal(c.entries[url], nil)
  t.assert(r:load():await())
  t.equal(stub.requests[1].headers["Authorization"], "mine")
  t.equal(stub.requests[2].headers["Authorization"], nil)
end)
