local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup(options)
  local host, service = support.service(options)
  return host, service:resource("/foo"), service
end

local function typed(type) return { ["Content-Type"] = type } end

t.describe("stages (16)", function()
  local function marker(name) return function(content) return content .. name end end

  t.test("16.2: in order", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "-" })
    service:configure("**", function(c)
      for _, stage in ipairs { "cleanup", "model", "parsing" } do c.pipeline[stage]:add(marker(stage .. " ")) end
    end)
    t.equal(t.assert(r:get()), "-parsing model cleanup ")
  end)

  t.test("16.3, 16.4, 16.5: own stages, another order, left-out stages", function()
    local host, r, service = setup { standard_transformers = {} }
    host:stub("GET", url, { body = "-" })
    service:configure("**", function(c)
      c.pipeline.order = { "cleanup", "funky", "model" }
      c.pipeline.model:add(marker "m")
      c.pipeline.funky:add(marker "f")
      c.pipeline.cleanup:add(marker "c")
      c.pipeline.parsing:add(marker "p")
    end)
    t.equal(t.assert(r:get()), "-cfm")
  end)

  t.test("16.6: a stage twice raises", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      t.raises(function() c.pipeline.order = { "a", "b", "a" } end, "twice")
    end)
    t.assert(r.configuration)
  end)

  t.test("16.3, 16.4: the list of stages may be edited in place", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "-" })
    service:configure("**", function(c)
      table.insert(c.pipeline.order, 4, "funk")
      table.insert(c.pipeline.order, 2, "silence")
      for _, stage in ipairs { "funk", "model", "cleanup" } do c.pipeline[stage]:add(marker(stage .. " ")) end
      t.equal(c.pipeline.order, { "raw_data", "silence", "decoding", "parsing", "funk", "model", "cleanup" })
    end)
    t.equal(t.assert(r:get()), "-funk model cleanup ")
  end)

  t.test("16.6: a stage twice, in a list that is edited in place or kept, fails the request", function()
    local host, r, service = setup()
    service:configure("**", function(c) table.insert(c.pipeline.order, "model") end)
    local _, err = r:load():await()
    t.equal(err.cause.type, "script_error")
    t.matches(err.cause.message, "stage 'model' occurs twice")
    local kept
    host, r, service = setup()
    service:configure("**", function(c)
      kept = c.pipeline.order
      c.pipeline.order = { "parsing" }
      kept[1] = "model"
    end)
    t.equal(r.configuration.pipeline.order, { "parsing" })
    kept[1] = "cleanup"
    t.equal(r.configuration.pipeline.order, { "parsing" })
  end)

  t.test("16.7: clearing", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "x" })
    service:configure("**", function(c)
      c.pipeline.model:add(marker "m")
      c.pipeline.cleanup:add(marker "c")
    end)
    t.equal(t.assert(r:load():await()).content, "xmc")
    service:configure("**", function(c) c.pipeline.model:remove_transformers() end)
    t.equal(t.assert(r:load():await()).content, "xc")
    service:configure("**", function(c) c.pipeline:clear() end)
    t.equal(t.assert(r:load():await()).content_kind, "bytes")
  end)

  t.test("17.2, 19.2: a body without a content type is application/octet-stream", function()
    local host, r, service = setup()
    host:stub("GET", url, { body = "x" })
    service:configure_transformer("**", { content_types = { "application/octet-stream" } }, marker "!")
    t.equal(t.assert(r:get()), "x!")
    local count = 0
    service:configure("**", function(c)
      c.pipeline.cleanup:add(host.rest.response_transformer(function(response)
        count = count + 1
        return response
      end), { content_types = { "*/*" } })
    end)
    host:stub("GET", url, { status = 404 })
    r:load():await()
    t.equal(count, 1)
    host:stub("GET", url, { error = { type = "timeout" } })
    r:load():await()
    t.equal(count, 1)
  end)

  t.test("17.2: content types", function()
    local host, r, service = setup { standard_transformers = {} }
    service:configure("**", function(c)
      c.pipeline.model:add(marker "!", { content_types = { "application/*", "*/x+y" } })
    end)
    local function load(type)
      host:stub("GET", url, { body = "x", headers = { ["Content-Type"] = type } })
      return t.assert(r:load():await()).content
    end
    t.equal(load "application/json", "x!")
    t.equal(load "APPLICATION/thing; charset=x", "x!")
    t.equal(load "foo/x+y", "x!")
    t.equal(load "application/x+z", "x")
    t.equal(load "application/", "x")
    t.equal(load "text/application", "x")
  end)
end)

t.describe("errors (20)", function()
  t.test("20.2: message of the script's own error", function()
    local host = t.host()
    local rest = host.rest
    t.equal(rest.error { user_message = "a", http_status_code = 404 }.user_message, "a")
    t.equal(rest.error { http_status_code = 404 }.user_message, "Not found")
    t.equal(rest.error {}.user_message, "Request failed")
    t.equal(rest.error { cause = { type = "request_cancelled" } }.user_message, "Request cancelled")
  end)

  t.test("20.4: the body comes along, even an empty one", function()
    local host, r = setup()
    host:stub("GET", url, { status = 500 })
    local _, err = r:load():await()
    t.equal(err.entity.content, "")
    t.equal(err.url, url)
    t.equal(err.method, "GET")
    t.equal(err.timestamp, 1000000)
  end)

  t.test("D12: a parse failure keeps status and body", function()
    local host, r = setup()
    host:stub("GET", url, { status = 203, body = "{", headers = typed "application/json" })
    local _, err = r:load():await()
    t.equal(err.http_status_code, 203)
    t.equal(err.entity.content, "{")
  end)

  t.test("19.4, D13: headers", function()
    local host, r = setup()
    host:stub("GET", url, { body = "x", headers = { Link = { "a", "b" }, ["Set-Cookie"] = { "c=1", "d=2" } } })
    local entity = t.assert(r:load():await())
    t.equal(entity.headers["LINK"], "a, b")
    t.equal(entity:header_values("link"), { "a", "b" })
    t.equal(entity.headers["set-cookie"], "c=1")
    t.equal(entity:header_values("set-cookie"), { "c=1", "d=2" })
  end)
end)
