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

t.describe("several stages (22.5, 22.9, 22.10)", function()
  local function two()
    local host, service = support.service()
    local log, early, late = {}, {}, {}
    local first, last = cache_of(host, {}, early), cache_of(host, log, late)
    service:configure("**", function(c)
      c.pipeline.decoding.cache = first
      c.pipeline.cleanup.cache = last
      c.pipeline.model:add(function(content)
        if content == "bad" then error("bad") end
        return content .. "+model"
      end)
    end)
    return host, service:resource("/foo"), early, late, log
  end

  t.test("each keeps its stage's output", function()
    local host, r, early, late = two()
    host:stub("GET", url, { text = "net" })
    t.assert(r:load():await())
    host:settle()
    t.equal(early[url].content_kind, "bytes")
    t.equal(late[url].content, "net+model")
  end)

  t.test("the last one first", function()
    local host, r, early, late = two()
    early[url] = entity(host, "early", 999990)
    late[url] = entity(host, "late", 999990)
    t.equal(t.assert(r:get()), "late")
  end)

  t.test("an early hit passes the later stages and is written to the later caches", function()
    local host, r, early, late = two()
    early[url] = host.rest.entity { content = host.rest.bytes "early", content_type = "text/plain", timestamp = 999990 }
    t.equal(t.assert(r:get()), "early+model")
    host:settle()
    t.equal(late[url].content, "early+model")
    t.equal(late[url].timestamp, 999990)
  end)

  t.test("a hit that the later stages refuse is skipped", function()
    local host, r, early, late = two()
    early[url] = host.rest.entity { content = host.rest.bytes "bad", content_type = "text/plain", timestamp = 999990 }
    host:stub("GET", url, { text = "net" })
    local observer = watch(r)
    t.assert(r:load_if_needed():await())
    t.equal(observer.events, { "observer_added", "requested", "new_data(network)" })
  end)
end)

t.test("D18: a cache that raises is bypassed", function()
  local function raise() error("broken cache") end
  for _, name in ipairs { "key", "read", "write", "remove" } do
    local host, r = setup { [name] = raise }
    host:stub("GET", url, { text = "net" })
    t.equal(t.assert(r:load_if_needed():await()).content, "net")
    r:override_local_content("mine")
    r:wipe()
    host:settle()
    t.equal(r.latest_error, nil)
    t.equal(r.latest_data, nil)
  end
end)

t.test("rubbish from a cache is a miss", function()
  for _, rubbish in ipairs { 3, "text", {}, true } do
    local host, r = setup { read = function() return rubbish end }
    host:stub("GET", url, { text = "net" })
    t.equal(t.assert(r:load_if_needed():await()).content, "net")
  end
end)

t.test("the memory cache survives a flush of its resource", function()
  local host, service = support.service()
  local cache = host.rest.cache.memory { max_bytes = 1000000 }
  service:configure("**", function(c) c.pipeline.cleanup.cache = cache end)
  local stub = host:stub("GET", url, { json = { a = 1 } })
  t.assert(service:resource("/foo"):get())
  host:settle()
  host:memory_pressure()
  t.equal(t.assert(service:resource("/foo"):get()).a, 1)
  t.equal(#stub.requests, 1)
end)

t.test("16.7: remove_caches", function()
  local host, r, c = setup()
  c.service:configure("**", function(c) c.pipeline:remove_caches() end)
  host:stub("GET", url, { text = "net" })
  t.assert(r:load():await())
  host:settle()
  t.equal(c.log, {})
end)
