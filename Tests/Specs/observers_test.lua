local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.test("13.4, 13.20: observer_added at once, chainable", function()
  local _, r = setup()
  local events = {}
  local owner = {}
  t.assert(r:add_observer(function(resource, event)
    t.assert(resource == r)
    events[#events + 1] = event
  end, owner) == r)
  t.equal(events, { "observer_added" })
end)

t.describe("events and the state at each (13.3, 13.6)", function()
  local function watch(r)
    local observer = support.observer()
    r:add_observer(observer)
    return observer
  end

  t.test("a load that succeeds", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local observer = watch(r)
    r:load():await()
    t.equal(observer.states, {
      { event = "observer_added", is_loading = false, has_data = false, has_error = false },
      { event = "requested", is_loading = true, has_data = false, has_error = false },
      { event = "new_data(network)", is_loading = false, has_data = true, has_error = false },
    })
  end)

  t.test("not modified", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x", headers = { ETag = "a" } })
    r:load():await()
    host:stub("GET", url, { status = 304 })
    local observer = watch(r)
    r:load():await()
    t.equal(observer.events, { "observer_added", "requested", "not_modified" })
  end)

  t.test("13.10: 304 without data; failures", function()
    local host, r = setup()
    host:stub("GET", url, { status = 304 })
    local observer = watch(r)
    r:load():await()
    t.equal(observer.events, { "observer_added", "requested", "error" })
    t.equal(observer.states[3].has_error, true)
  end)

  t.test("8.7: cancelled", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x", gated = true })
    local observer = watch(r)
    local load = r:load()
    load:cancel()
    t.equal(observer.events, { "observer_added", "requested" })
    host:settle()
    t.equal(observer.states[3],
      { event = "request_cancelled", is_loading = false, has_data = false, has_error = false })
  end)

  t.test("13.8: a plain request tells nothing", function()
    local host, r = setup()
    host:stub("POST", url, { text = "x" })
    local observer = watch(r)
    r:request("POST"):await()
    t.equal(observer.events, { "observer_added" })
  end)

  t.test("a transformer that fails is an error", function()
    local host, r, service = setup()
    service:configure_transformer("**", function() error("no") end)
    host:stub("GET", url, { text = "x" })
    local observer = watch(r)
    r:load():await()
    t.equal(observer.events, { "observer_added", "requested", "error" })
  end)
end)

t.test("13.12: the same table twice is one observer, functions always repeat", function()
  local _, r = setup()
  local observer = support.observer()
  r:add_observer(observer)
  r:add_observer(observer)
  t.equal(observer.events, { "observer_added" })
  local count, owner = 0, {}
  local fn = function() count = count + 1 end
  r:add_observer(fn, owner):add_observer(fn, owner)
  t.equal(count, 2)
end)

t.test("13.11 with D8: notified in the order of adding", function()
  local _, r = setup()
  local log, owner = {}, {}
  for i = 1, 5 do
    r:add_observer(function(_, event)
      if event ~= "observer_added" then log[#log + 1] = i end
    end, owner)
  end
  r:override_local_content("x")
  t.equal(log, { 1, 2, 3, 4, 5 })
end)

t.describe("owners", function()
  t.test("13.16: remove_observers; nil does nothing", function()
    local host, r = setup()
    local observer, owner = support.observer(), {}
    r:add_observer(observer, owner)
    r:remove_observers(nil)
    r:override_local_content("x")
    t.equal(#observer.events, 2)
    r:remove_observers(owner)
    r:override_local_content("y")
    host:settle()
    t.equal(observer.events, { "observer_added", "new_data(local_override)", "stopped" })
  end)

  t.test("13.13: a table that owns itself goes with itself", function()
    local host, r = setup()
    local events = {}
    local observer = support.observer(events)
    r:add_observer(observer)
    observer = nil
    host:memory_pressure()
    r:override_local_content("x")
    host:settle()
    t.equal(events, { "observer_added" })
  end)

  t.test("13.13: remove_observers of itself tells it", function()
    local host, r = setup()
    local observer = support.observer()
    r:add_observer(observer)
    r:remove_observers(observer)
    host:settle()
    t.equal(observer.events, { "observer_added", "stopped" })
  end)

  t.test("13.14: an owner holds its observer; when it goes, the observer stops", function()
    local host, r = setup()
    local events, owner = {}, {}
    r:add_observer(support.observer(events), owner)
    host:memory_pressure()
    r:override_local_content("x")
    t.equal(events, { "observer_added", "new_data(local_override)" })
    owner = nil
    host:memory_pressure()
    r:override_local_content("y")
    host:settle()
    t.equal(events, { "observer_added", "new_data(local_override)", "stopped" })
  end)

  t.test("13.15: until the last owner is gone", function()
    local host, r = setup()
    local observer, one, two = support.observer(), {}, {}
    r:add_observer(observer, one)
    r:add_observer(observer, two)
    t.equal(observer.events, { "observer_added" })
    r:remove_observers(one)
    r:override_local_content("x")
    t.equal(#observer.events, 2)
    r:remove_observers(two)
    r:override_local_content("y")
    host:settle()
    t.equal(observer.events, { "observer_added", "new_data(local_override)", "stopped" })
  end)

  t.test("13.18: removed and added again: stopped comes first", function()
    local _, r = setup()
    local observer, owner = support.observer(), {}
    r:add_observer(observer, owner)
    r:remove_observers(owner)
    r:add_observer(observer, owner)
    t.equal(observer.events, { "observer_added", "stopped", "observer_added" })
  end)

  t.test("a request may own", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local request = r:load()
    local count = 0
    r:add_observer(function() count = count + 1 end, request)
    host:settle()
    t.equal(count, 2)
    r:remove_observers(request)
    r:override_local_content("x")
    t.equal(count, 2)
  end)
end)

t.test("13.23: an observer added during a notification gets observer_added only", function()
  local _, r = setup()
  local log, owner, added = {}, {}, false
  r:add_observer(function(_, event)
    if event ~= "observer_added" and not added then
      added = true
      r:add_observer(function(_, inner) log[#log + 1] = inner end, owner)
    end
  end, owner)
  r:override_local_content("x")
  t.equal(log, { "observer_added" })
end)

t.test("an observer that raises stops no other", function()
  local host, r = setup()
  local log, owner = {}, {}
  r:add_observer(function() error("oops") end, owner)
  r:add_observer(function(_, event) log[#log + 1] = event end, owner)
  r:override_local_content("x")
  t.equal(log, { "observer_added", "new_data(local_override)" })
end)

t.describe("memory (2.7, 2.8, 23)", function()
  t.test("an observed resource stays, another goes", function()
    local host, _, service = setup()
    host:stub("GET", support.base .. "**", { text = "x" })
    t.assert(service:resource("/a"):get())
    t.assert(service:resource("/b"):get())
    local owner = {}
    service:resource("/a"):add_observer(function() end, owner)
    host:memory_pressure()
    t.equal(service:resource("/a").text, "x")
    t.equal(service:resource("/b").latest_data, nil)
    t.assert(owner)
  end)

  t.test("a held resource stays", function()
    local host, r, service = setup()
    r:override_local_content("x")
    host:memory_pressure()
    t.assert(service:resource("/foo") == r)
    t.equal(service:resource("/foo").text, "x")
  end)

  t.test("23.3: the limit", function()
    local host, _, service = setup()
    service.cached_resource_count_limit = 10
    for i = 1, 9 do service:resource("/r" .. i):override_local_content("x") end
    for i = 10, 12 do service:resource("/r" .. i) end
    t.equal(service:resource("/r1").latest_data, nil)
  end)
end)

t.describe("status (28.1)", function()
  t.test("the first rule that applies decides", function()
    local host, r, service = setup()
    local gate = host:stub("GET", url, { text = "x", gated = true })
    local status = host.rest.status { resources = { r } }
    t.equal(status.state, "success")
    r:load()
    t.equal(status.state, "loading")
    gate:go()
    host:settle()
    t.equal(status.state, "success")
    host:stub("GET", url, { status = 500 })
    r:load():await()
    t.equal(status.state, "error")
    local prefers_data = host.rest.status { resources = { r }, priority = { "any_data", "loading", "error" } }
    t.equal(prefers_data.state, "success")
  end)
end)

t.describe("the error of a status", function()
  for _, priority in ipairs { { "error" }, { "error", "loading", "any_data" } } do
    t.test("28.3: another one is a change, with " .. table.concat(priority, ", "), function()
      local host, r = setup()
      local status = host.rest.status { resources = { r }, priority = priority }
      local seen = {}
      status:on_change(function(s) seen[#seen + 1] = s.error and s.error.http_status_code end)
      for _, code in ipairs { 404, 500, 500 } do
        host:clear_stubs()
        host:stub("GET", url, { status = code })
        r:load():await()
        host:settle()
      end
      t.equal(seen, { 404, 500 })
    end)
  end
end)
