local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("chains", function()
  local function request(host, r, method, reply)
    local stub = host:stub(method, url, reply)
    return r:request(method), stub
  end

  t.test("10.1, 10.2: use_this_response", function()
    local host, r = setup()
    local seen
    local chain = request(host, r, "GET", { text = "x" }):chained(function(info)
      seen = info.response.entity.content
      return host.rest.use_this_response
    end)
    t.equal(chain.state, "in_progress")
    t.equal(t.assert(chain:await()).content, "x")
    t.equal(seen, "x")
  end)

  t.test("10.2, 10.11: use_response is final, no pipeline", function()
    local host, r = setup()
    local original = request(host, r, "GET", { status = 500 })
    local own
    original:on_failure(function(err) own = err.http_status_code end)
    local chain = original:chained(function()
      return host.rest.use_response(host.rest.success(host.rest.entity { content = "{}", content_type = "application/json" }))
    end)
    t.equal(t.assert(chain:await()).content, "{}")
    t.equal(own, 500)
  end)

  t.test("7.10: use_response takes what the function got, whole", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      c:decorate_requests(function(_, request)
        return request:chained(function(info) return host.rest.use_response(info) end)
      end)
    end)
    host:stub("GET", url, { text = "x", headers = { ETag = "1" } })
    t.assert(r:load():await())
    host:stub("GET", url, { status = 304 })
    local is_new
    r:load():on_completion(function(info) is_new = info.is_new end)
    host:settle()
    t.equal(is_new, false)
  end)

  t.test("10.2: pass_to starts the other and takes its outcome", function()
    local host, r = setup()
    local posted = host:stub("POST", url, { text = "posted" })
    local other = r:request("POST"):repeated()
    host:settle()
    t.equal(#posted.requests, 1)
    local chain = request(host, r, "GET", { text = "x" }):chained(function() return host.rest.pass_to(other) end)
    t.equal(t.assert(chain:await()).content, "posted")
    t.equal(#posted.requests, 2)
  end)

  t.test("10.3: a chain on a request that hasn't started starts it", function()
    local host, r = setup()
    local stub = host:stub("GET", url, { text = "x" })
    local done = r:request("GET")
    done:await()
    local again = done:repeated()
    local chain = again:chained(function() return host.rest.use_this_response end)
    t.equal(chain.state, "not_started")
    host:settle()
    t.equal(#stub.requests, 1)
    chain:start()
    t.equal(again.state, "in_progress")
    t.assert(chain:await())
    t.equal(#stub.requests, 2)
  end)

  t.test("10.6: cancelling the chain cancels what it waits for; the function never runs", function()
    local host, r = setup()
    local ran = false
    local original = request(host, r, "GET", { text = "x", gated = true })
    local chain = original:chained(function() ran = true return host.rest.use_this_response end)
    chain:cancel()
    t.assert(original.is_cancelled and chain.is_cancelled)
    host:settle()
    t.equal(ran, false)
  end)

  t.test("10.7: cancelling the wrapped request alone is an outcome like others", function()
    local host, r = setup()
    local original = request(host, r, "GET", { text = "x", gated = true })
    local cancelled
    local chain = original:chained(function(info)
      cancelled = info.is_cancellation
      return host.rest.use_response(host.rest.success(host.rest.entity { content = "saved" }))
    end)
    original:cancel()
    t.equal(t.assert(chain:await()).content, "saved")
    t.assert(cancelled)
  end)

  t.test("D6, D5: cancelling after pass_to cancels the second request", function()
    local host, r = setup()
    local gate = host:stub("POST", url, { text = "posted", gated = true })
    local post = r:request("POST")
    local other = post:repeated()
    post:cancel()
    local chain = request(host, r, "GET", { text = "x" }):chained(function() return host.rest.pass_to(other) end)
    host:settle()
    t.equal(other.state, "in_progress")
    t.assert(r.is_requesting)
    chain:cancel()
    t.assert(other.is_cancelled)
    host:settle()
    t.equal(r.is_requesting, false)
  end)

  t.test("9.8: a chain repeats with its function", function()
    local host, r = setup()
    local stub = host:stub("GET", url, { text = "x" })
    local ran = 0
    local chain = r:request("GET"):chained(function() ran = ran + 1 return host.rest.use_this_response end)
    chain:await()
    t.assert(chain:repeated():start():await())
    t.equal(ran, 2)
    t.equal(#stub.requests, 2)
  end)

  t.test("the function may wait", function()
    local host, r = setup()
    local chain = request(host, r, "GET", { status = 401 }):chained(function()
      host.rest.sleep(3)
      return host.rest.use_response(host.rest.success(host.rest.entity { content = "late" }))
    end)
    host:advance(2)
    t.equal(chain.state, "in_progress")
    host:advance(1)
    t.equal(t.assert(chain:await()).content, "late")
  end)

  t.test("a function that gives no action fails the chain", function()
    local host, r = setup()
    for _, bad in ipairs { function() end, function() return "x" end, function() error("oops") end } do
      local entity, err = request(host, r, "GET", { text = "x" }):chained(bad):await()
      t.equal(entity, nil)
      t.equal(err.cause.type, "script_error")
      t.matches(tostring(err.cause.file), "chain_test%.lua$")
    end
  end)
end)

t.describe("custom requests", function()
  t.test("11.2: started once, by hand", function()
    local host = setup()
    local starts, finish = 0, nil
    local request = host.rest.custom_request { start = function(complete) starts = starts + 1 finish = complete end }
    t.equal(request.state, "not_started")
    t.equal(starts, 0)
    request:start():start()
    t.equal(starts, 1)
    t.equal(request.state, "in_progress")
    t.equal(request.progress, 0)
    finish(host.rest.success(host.rest.entity { content = "custom" }))
    t.equal(t.assert(request:await()).content, "custom")
  end)

  t.test("11.3: may answer at once, and twice, of which one counts", function()
    local host = setup()
    local request = host.rest.custom_request { start = function(complete)
      complete(host.rest.failure(host.rest.error { user_message = "one" }))
      complete(host.rest.success(host.rest.entity { content = "two" }))
    end }
    local log = support.hooks(request)
    request:start()
    host:settle()
    t.equal(log, { "completion", "failure" })
    t.equal(request.response.error.user_message, "one")
  end)

  t.test("cancel is reported, once", function()
    local host = setup()
    local cancels = 0
    local request = host.rest.custom_request { start = function() end, cancel = function() cancels = cancels + 1 end }
    request:start()
    request:cancel()
    request:cancel()
    host:settle()
    t.equal(cancels, 1)
    t.assert(request.is_cancelled)
  end)

  t.test("repeats from its functions", function()
    local host = setup()
    local starts = 0
    local request = host.rest.custom_request { start = function(complete)
      starts = starts + 1
      complete(host.rest.success(host.rest.entity { content = tostring(starts) }))
    end }
    t.equal(t.assert(request:start():await()).content, "1")
    t.equal(t.assert(request:repeated():start():await()).content, "2")
  end)

  t.test("can be a load", function()
    local host, r = setup()
    r:load_using(host.rest.custom_request { start = function(complete)
      complete(host.rest.success(host.rest.entity { content = "custom", content_type = "text/plain" }))
    end })
    host:settle()
    t.equal(r.text, "custom")
  end)
end)

t.test("12.13, D7: a chain shows the progress of its current request, and never goes back", function()
  local host = setup()
  local rest, fraction = host.rest, 0.5
  local first_complete
  local first = rest.custom_request { start = function(complete) first_complete = complete end,
    progress = function() return fraction end }
  local second = rest.custom_request { start = function() end, progress = function() return fraction end }
  local chain = first:chained(function() return rest.pass_to(second) end):start()
  t.equal(chain.progress, 0.5)
  first_complete(rest.success(rest.entity { content = "x" }))
  fraction = 0.25
  host:settle()
  t.equal(second.state, "in_progress")
  t.equal(chain.progress, 0.5)
  fraction = 0.75
  t.equal(chain.progress, 0.75)
  chain:cancel()
  host:settle()
  t.equal(chain.progress, 1)
end)
