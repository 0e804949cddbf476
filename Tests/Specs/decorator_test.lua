local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("mutators (15.1-15.3, 14.20)", function()
  t.test("run in order, after the request's own", function()
    local host, r, service = setup()
    local stub = host:stub("PUT", "https://elsewhere.test/x", { status = 200 })
    service:configure("**", function(c)
      c.headers["Trace"] = "headers"
      c:mutate_requests(function(d) d.headers["Trace"] = d.headers["Trace"] .. ",one" end)
      c:mutate_requests(function(d)
        d.headers["Trace"] = d.headers["Trace"] .. ",two"
        d.method = "PUT"
        d.url = "https://elsewhere.test/x"
        d.body = (d.body or "") .. "!"
      end)
    end)
    t.assert(r:request("POST", { text = "hey", mutate = function(d)
      d.headers["Trace"] = d.headers["Trace"] .. ",adhoc"
    end }):await())
    t.equal(stub.requests[1].headers["Trace"], "headers,adhoc,one,two")
    t.equal(stub.requests[1].body, "hey!")
  end)

  t.test("14.20: pipeline and decorators follow the mutated method", function()
    local host, r, service = setup()
    host:stub("PUT", url, { text = "x" })
    local decorated
    service:configure("**", { methods = "PUT" }, function(c)
      c.pipeline.model:add(function(content) return content .. " put" end)
      c:decorate_requests(function(_, request) decorated = "put" return request end)
    end)
    service:configure("**", { methods = "POST" }, function(c)
      c.pipeline.model:add(function(content) return content .. " post" end)
      c:mutate_requests(function(d) d.method = "PUT" end)
    end)
    t.equal(t.assert(r:request("POST"):await()).content, "x put")
    t.equal(decorated, "put")
  end)

  t.test("what can't be sent is that request's error", function()
    local host, r, service = setup()
    local edit
    service:configure("**", function(c) c:mutate_requests(function(d) edit(d) end) end)
    for _, change in ipairs {
      function(d) d.method = "BAD METHOD" end,
      function(d) d.headers["X"] = "a\r\nEvil: yes" end,
      function(d) d.headers["X"] = "a\0b" end,
      function(d) d.headers["Bad Name"] = "x" end,
      function(d) d.url = "not a url" end,
      function() error("oops") end,
    } do
      edit = change
      local entity, err = r:load():await()
      t.equal(entity, nil)
      t.assert(err.user_message ~= "")
      t.assert(r.latest_error)
      t.equal(r.is_loading, false)
    end
  end)
end)

t.describe("decorators", function()
  t.test("15.4, 15.5: in order, the bare request not started, the last one counts", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "x" })
    local log, returned = {}, nil
    service:configure("**", function(c)
      c:decorate_requests(function(resource, request)
        t.assert(resource == r)
        log[#log + 1] = request.state
        returned = request:chained(function() return host.rest.use_this_response end)
        return returned
      end)
      c:decorate_requests(function(_, request)
        t.assert(request == returned)
        log[#log + 1] = request.state
        return request
      end)
    end)
    local request = r:load()
    t.assert(request == returned)
    t.equal(r.load_requests, { returned })
    t.equal(r.all_requests, { returned })
    host:settle()
    t.equal(log, { "not_started", "not_started" })
    t.equal(r.text, "x")
  end)

  t.test("15.6: a discarded original is never sent", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      c:decorate_requests(function() return host.rest.failed_request("stop") end)
    end)
    local _, err = r:load():await()
    t.equal(err.user_message, "stop")
    t.equal(r.latest_error.user_message, "stop")
  end)

  t.test("15.7: a deferred original starts when a chain passes to it", function()
    local host, r, service = setup()
    local stub = host:stub("GET", url, { text = "x" })
    service:configure("**", function(c)
      c:decorate_requests(function(_, request)
        local wait = host.rest.custom_request { start = function(complete)
          host.rest.after(5, function() complete(host.rest.success(host.rest.entity { content = "ready" })) end)
        end }
        return wait:chained(function() return host.rest.pass_to(request) end)
      end)
    end)
    local load = r:load()
    host:settle()
    t.equal(#stub.requests, 0)
    host:advance(5)
    t.equal(#stub.requests, 1)
    t.equal(r.text, "x")
    t.equal(load.state, "completed")
  end)

  t.test("a decorator that gives no request, or raises, fails that request", function()
    local host, r, service = setup()
    local give
    service:configure("**", function(c) c:decorate_requests(function() return give() end) end)
    for _, bad in ipairs { function() end, function() return 3 end, function() error("oops") end } do
      give = bad
      local entity, err = r:load():await()
      t.equal(entity, nil)
      t.equal(err.cause.type, "script_error")
      t.matches(err.cause.file, "decorator_test%.lua$")
      t.equal(r.is_loading, false)
    end
  end)
end)
