local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup(reply)
  local host, service = support.service()
  host:stub("GET", url, reply or { text = "x" })
  return host, service:resource("/foo"), service
end

t.describe("transformer modules", function()
  t.test("16.2, 16.4: they keep the order of stages and transformers, among functions too", function()
    local _, r, service = setup()
    service:configure_transformer("**", { stage = "cleanup" }, "append_b")
    service:configure_transformer("**", "append_a")
    service:configure_transformer("**", { action = "append" }, function(c) return c .. "-" end)
    service:configure_transformer("**", { action = "append" }, "append_b")
    t.equal(t.assert(r:get()), "xa-bb")
  end)

  t.test("17.10: one call for each response, however many hooks", function()
    local host, r, service = setup()
    service:configure_transformer("**", "append_a")
    local request = r:load()
    for _ = 1, 3 do request:on_success(function() end) end
    r:load_if_needed()
    host:settle()
    t.equal(host.rest.store:get "calls", 1)
    t.equal(r.text, "xa")
  end)

  t.test("17.7, D12: raising fails the request, which keeps status and body", function()
    local _, r, service = setup { text = "fail" }
    service:configure_transformer("**", "append_b")
    local _, err = r:get()
    t.equal(err.user_message, "no fail")
    t.equal(err.http_status_code, 200)
    t.equal(err.text, "fail")
    t.matches(err.cause.file, "append_b.lua$")
    t.equal(err.cause.line, 4)
  end)

  t.test("17.8, 17.9: bodies of errors", function()
    local host, r, service = setup { status = 404, text = "x" }
    service:configure_transformer("**", "append_b")
    local _, err = r:get()
    t.equal(err.text, "xb")
    host:advance(2)
    host:stub("GET", url, { status = 404, text = "fail" })
    _, err = r:get()
    t.equal(err.text, "fail")
    t.equal(err.user_message, "Not found")
  end)

  t.test("22.6, 22.9: a cache between two modules gets its stage's output, and a hit passes the rest", function()
    local host, r, service = setup()
    local written
    service:configure(function(c)
      c.pipeline.model:add "append_a"
      c.pipeline.model.cache = host.rest.cache.custom {
        key = function(resource) return resource.url end,
        read = function() return host.rest.entity { content = "cached", content_type = "text/plain" } end,
        write = function(_, entity) written = entity.text end,
        remove = function() end,
      }
      c.pipeline.cleanup:add "append_b"
    end)
    t.equal(r.latest_data, nil)
    host:settle()
    t.equal(r.text, "cachedb")
    t.equal(t.assert(r:load():await()).text, "xab")
    host:settle()
    t.equal(written, "xa")
  end)

  t.test("30: events and hooks come in the order of any load", function()
    local host, r, service = setup()
    local lines = {}
    service:configure_transformer("**", "append_a")
    r:add_observer(function(_, event) lines[#lines + 1] = event .. (r.is_loading and " loading" or "") end, lines)
    host:settle()
    local request = r:load()
    request:on_completion(function() lines[#lines + 1] = "hook " .. r.text end)
    host:settle()
    t.equal(lines, { "observer_added", "requested loading", "new_data(network)", "hook xa" })
  end)
end)
