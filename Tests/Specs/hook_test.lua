local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("hooks", function()
  t.test("7.4: success with new data", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local log = support.hooks(r:load())
    t.equal(log, {})
    host:settle()
    t.equal(log, { "completion", "success", "new_data" })
  end)

  t.test("7.4: failure", function()
    local host, r = setup()
    host:stub("GET", url, { status = 404 })
    local log = support.hooks(r:load())
    host:settle()
    t.equal(log, { "completion", "failure" })
  end)

  t.test("7.5, 7.7: late hooks run in a later turn, once, in the order of attaching", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local request = r:load()
    request:await()
    local log = {}
    request:on_completion(function() log[#log + 1] = "a" end)
    request:on_success(function(entity) log[#log + 1] = entity.content end)
    request:on_completion(function() log[#log + 1] = "c" end)
    t.equal(log, {})
    host:settle()
    t.equal(log, { "a", "x", "c" })
    host:settle()
    t.equal(#log, 3)
  end)

  t.test("7.10: info", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local seen
    r:load():on_completion(function(info) seen = info end)
    host:settle()
    t.assert(seen.is_new)
    t.equal(seen.is_cancellation, false)
    t.assert(seen.response.ok)
    t.equal(seen.response.entity.content, "x")
    t.equal(seen.response.error, nil)
  end)

  t.test("7.10: a failure has an error and no entity; the body is the error's", function()
    local host, r = setup()
    host:stub("GET", url, { status = 500, text = "why" })
    local seen
    local request = r:load():on_completion(function(info) seen = info.response end)
    host:settle()
    t.equal(seen.ok, false)
    t.equal(seen.entity, nil)
    t.equal(request.response.entity, nil)
    t.equal(seen.error.entity.content, "why")
  end)

  t.test("a hook that raises stops no other", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local ran = false
    r:load():on_success(function() error("oops") end):on_success(function() ran = true end)
    host:settle()
    t.assert(ran)
    t.equal(r.text, "x")
  end)

  t.test("30: a caller's hook sees the new state, a decorator's doesn't yet", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "x" })
    local log = {}
    service:configure("**", function(c)
      c:decorate_requests(function(resource, request)
        return request:on_completion(function()
          log[#log + 1] = { "decorator", resource.is_loading, resource.text }
        end)
      end)
    end)
    r:add_observer(function(resource, event)
      log[#log + 1] = { event, resource.is_loading, resource.text }
    end)
    r:load():on_success(function() log[#log + 1] = { "caller", r.is_loading, r.text } end)
    host:settle()
    t.equal(log, {
      { "observer_added", false, "" }, { "requested", true, "" }, { "decorator", true, "" },
      { "new_data(network)", false, "x" }, { "caller", false, "x" },
    })
  end)
end)

t.describe("cancel", function()
  t.test("8.1: in flight", function()
    local host, r = setup()
    local gate = host:stub("GET", url, { text = "x", gated = true })
    local request = r:load()
    local log = support.hooks(request)
    request:cancel()
    t.equal(request.state, "completed")
    t.equal(request.progress, 1)
    t.assert(request.is_cancelled)
    t.equal(request.response.error.user_message, "Request cancelled")
    t.equal(log, {})
    host:settle()
    t.equal(log, { "completion", "failure" })
    gate:go()
    host:settle()
    t.equal(log, { "completion", "failure" })
    t.equal(r.latest_data, nil)
    t.equal(r.latest_error, nil)
  end)

  t.test("8.2: after completion nothing happens", function()
    local host, r = setup()
    host:stub("GET", url, { text = "x" })
    local request = r:load()
    local log = support.hooks(request)
    host:settle()
    request:cancel()
    host:settle()
    t.equal(log, { "completion", "success", "new_data" })
    t.equal(request.is_cancelled, false)
  end)

  t.test("8.3: before the start", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      c:decorate_requests(function(_, request)
        request:cancel()
        return request
      end)
    end)
    local request = r:load()
    t.equal(request.state, "completed")
    t.assert(request.is_cancelled)
    request:start()
    host:settle()
  end)

  t.test("8.4: a client-side failure stays what it is", function()
    local host, r = setup()
    local request = r:request("POST", { json = "no" })
    request:cancel()
    t.equal(request.is_cancelled, false)
    t.equal(request.response.error.cause.type, "invalid_json_object")
  end)
end)

t.describe("repeated()", function()
  t.test("9.1-9.5: rebuilt, not decorated, no hooks, no load", function()
    local host, r, service = setup()
    local stub = host:stub("GET", url, { text = "x" })
    local decorated, flavor = 0, "one"
    service:configure("**", function(c)
      c.headers["Flavor"] = flavor
      c:decorate_requests(function(_, request) decorated = decorated + 1 return request end)
    end)
    local hooks, mutations = 0, 0
    local request = r:request("GET", { mutate = function(d)
      mutations = mutations + 1
      d.headers["Count"] = (d.headers["Count"] or "") .. mutations
    end })
    request:on_completion(function() hooks = hooks + 1 end)
    request:await()
    flavor = "two"
    service:invalidate_configuration()
    local again = request:repeated()
    t.equal(again.state, "not_started")
    t.equal(#stub.requests, 1)
    t.equal(r.is_requesting, false)
    again:start()
    t.assert(r.is_requesting)
    t.assert(again:await())
    t.equal(stub.requests[1].headers["Flavor"], "one")
    t.equal(stub.requests[2].headers["Flavor"], "two")
    t.equal(stub.requests[1].headers["Count"], "1")
    t.equal(stub.requests[2].headers["Count"], "2")
    t.equal(decorated, 1)
    t.equal(hooks, 1)
    t.equal(r.latest_data, nil)
  end)

  t.test("9.7: the etag is that of the data at the time", function()
    local host, r = setup()
    local stub = host:stub("GET", url, { text = "x", headers = { ETag = '"1"' } })
    local load = r:load()
    load:await()
    load:repeated():start():await()
    t.equal(stub.requests[1].headers["If-None-Match"], nil)
    t.equal(stub.requests[2].headers["If-None-Match"], '"1"')
  end)

  t.test("9.9: a failed request repeats as itself", function()
    local host = setup()
    local failed = host.rest.failed_request("no")
    t.assert(failed:repeated() == failed)
    t.equal(failed.progress, 1)
    t.equal(failed.state, "completed")
  end)
end)

t.test("7.3: hooks chain, and any number may be attached", function()
  local host, r = setup()
  host:stub("GET", url, { text = "x" })
  local request, count = r:load(), 0
  local function note() count = count + 1 end
  for _, name in ipairs { "on_completion", "on_success", "on_new_data", "on_not_modified", "on_failure", "on_progress" } do
    t.assert(request[name](request, note) == request)
  end
  for _ = 1, 500 do request:on_success(note) end
  host:settle()
  t.assert(count >= 504 and count <= 505)
end)
