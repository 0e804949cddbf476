local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup(options)
  local host, service = support.service(options)
  return host, service:resource("/foo"), service
end

local function typed(type) return { ["Content-Type"] = type } end

t.describe("content transformers (17)", function()
  local function with(transformer, options, reply)
    local host, r, service = setup()
    service:configure_transformer("**", options or {}, transformer)
    host:stub("GET", url, reply or { text = "greeble" })
    local entity, err = r:load():await()
    return entity, err, host, r, service
  end

  t.test("17.4: content changes, the rest stays", function()
    local entity = t.assert(with(function(content, entity)
      t.equal(entity.content_type, "text/plain; charset=utf-8")
      return { model = content }
    end))
    t.equal(entity.content, { model = "greeble" })
    t.equal(entity.content_kind, "value")
    t.equal(entity.content_type, "text/plain; charset=utf-8")
  end)

  t.test("17.5: input of another type", function()
    local _, err = with(function(c) return c end, { input = "table", description = "mine" })
    t.equal(err.user_message, "Cannot parse server response")
    t.equal(err.cause.type, "wrong_input_type")
    t.equal(err.cause.expected, "table")
    t.equal(err.cause.actual, "text")
    t.equal(err.cause.transformer, "mine")
  end)

  t.test("17.5: skip, and skip_if_output_matches", function()
    t.equal(t.assert(with(function() return {} end, { input = "table", on_mismatch = "skip" })).content, "greeble")
    t.equal(t.assert(with(function() return "x" end,
      { input = "table", output = "text", on_mismatch = "skip_if_output_matches" })).content, "greeble")
    local _, err = with(function() return {} end,
      { input = "number", output = "table", on_mismatch = "skip_if_output_matches" })
    t.equal(err.cause.type, "wrong_input_type")
  end)

  t.test("17.4: a model keeps its metatable, declared or not, in lists too", function()
    local User = {}
    User.__index = User
    function User:greeting() return "I am " .. self.name end
    local function new(name) return setmetatable({ name = name }, User) end
    for _, options in ipairs { {}, { output = User } } do
      local entity, _, _, r = with(function(name) return new(name) end, options)
      t.equal(entity.content:greeting(), "I am greeble")
      t.equal(r.latest_data.content:greeting(), "I am greeble")
      t.equal(entity.content_kind, "value")
      t.equal(r.json.name, "greeble")
    end
    local list = with(function(name) return { new(name), { best = new "b" } } end)
    t.equal(list.content[1]:greeting(), "I am greeble")
    t.equal(list.content[2].best:greeting(), "I am b")
    t.equal(with(function(name) return new(name) end, { output = "json" }).content, { name = "greeble" })
    local _, err = with(function(name) return new(name) end, { output = "text" })
    t.equal(err.cause.actual, "table")
  end)

  t.test("17.6: nil", function()
    local _, err = with(function() return nil end)
    t.equal(err.cause.type, "transformer_returned_nil")
    t.equal(err.user_message, "Cannot parse server response")
    _, err = with(function() return nil, "pigeon" end)
    t.equal(err.user_message, "pigeon")
    t.equal(err.cause.type, "transformer_returned_nil")
  end)

  t.test("17.7: raising", function()
    local _, err = with(function() error("it broke") end)
    t.equal(err.user_message, "it broke")
    _, err = with(function() local x = nil; return x.y end)
    t.equal(err.user_message, "Cannot parse server response")
    t.equal(err.cause.type, "script_error")
    t.matches(err.cause.file, "transformer_test%.lua$")
    t.assert(err.cause.line > 0)
    for _, value in ipairs { {}, false, print } do
      _, err = with(function() error(value) end)
      t.equal(err.user_message, "Cannot parse server response")
    end
    _, err = with(function() error() end)
    t.equal(err.user_message, "Cannot parse server response")
    local host = t.host()
    _, err = with(function() error(host.rest.error { user_message = "mine", http_status_code = 299 }) end)
    t.equal(err.user_message, "mine")
    t.equal(err.http_status_code, 299)
  end)

  t.test("what is no value", function()
    for _, bad in ipairs { function() return print end, function() return coroutine.create(print) end,
      function() local cycle = {} cycle.me = cycle return cycle end } do
      local entity, err, _, r = with(bad)
      t.equal(entity, nil)
      t.equal(err.cause.type, "script_error")
      t.equal(r.latest_data, nil)
      t.equal(r.is_loading, false)
    end
  end)

  t.test("17.8: errors only when asked for", function()
    local reply = { status = 500, text = "boo" }
    local calls = 0
    local function shout(content) calls = calls + 1 return content:upper() end
    local _, err = with(shout, {}, reply)
    t.equal(calls, 0)
    t.equal(err.text, "boo")
    _, err = with(shout, { transform_errors = true }, reply)
    t.equal(err.text, "BOO")
    t.equal(err.http_status_code, 500)
    t.equal(err.user_message, "Internal server error")
  end)

  t.test("17.10: once per response, never for a 304", function()
    local host, r, service = setup()
    local calls = 0
    service:configure_transformer("**", function(content) calls = calls + 1 return content end)
    host:stub("GET", url, { text = "x", headers = { ETag = "1" } })
    local owner = {}
    for _ = 1, 3 do r:add_observer(function(x) return x.latest_data end, owner) end
    local load = r:load()
    for _ = 1, 3 do load:on_success(function(entity) return entity.content end) end
    host:settle()
    t.equal(calls, 1)
    host:stub("GET", url, { status = 304 })
    r:load():await()
    t.equal(calls, 1)
  end)

  t.test("14.16: the default methods leave out HEAD and OPTIONS", function()
    local host, r, service = setup()
    service:configure_transformer("**", function() return "changed" end)
    for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS" } do
      host:stub(method, url, { text = "x" })
      local expected = (method == "HEAD" or method == "OPTIONS") and "x" or "changed"
      t.equal(t.assert(r:request(method):await()).content, expected)
    end
  end)

  t.test("14.17: replace and append", function()
    local host, r, service = setup()
    host:stub("GET", url, { text = "x" })
    local function mark(name) return function(content) return content .. name end end
    service:configure_transformer("**", mark "1")
    service:configure_transformer("**", mark "2")
    t.equal(t.assert(r:load():await()).content, "x2")
    service:configure_transformer("**", { action = "append" }, mark "3")
    t.equal(t.assert(r:load():await()).content, "x23")
    service:configure_transformer("**", { stage = "cleanup" }, mark "4")
    t.equal(t.assert(r:load():await()).content, "x234")
  end)

  t.test("content is a value: a reader's changes stay his own", function()
    local host, r = setup()
    host:stub("GET", url, { json = { list = { 1 } } })
    t.assert(r:get()).list[1] = "spoiled"
    t.equal(r.latest_data.content.list[1], 1)
  end)
end)

t.describe("response transformers (17.1)", function()
  t.test("may flip the outcome both ways", function()
    local host, r, service = setup()
    local rest = host.rest
    local change
    service:configure("**", function(c)
      c.pipeline.cleanup:add(rest.response_transformer(function(response) return change(response) end, "flip"))
    end)
    host:stub("GET", url, { status = 404, text = "gone" })
    change = function(response)
      t.equal(response.ok, false)
      t.equal(response.error.http_status_code, 404)
      return rest.success(rest.entity { content = "none", content_type = "text/plain" })
    end
    t.equal(t.assert(r:load():await()).content, "none")
    host:stub("GET", url, { text = "fine" })
    change = function(response)
      t.assert(response.ok)
      return rest.failure(rest.error { user_message = response.entity.content })
    end
    local _, err = r:load():await()
    t.equal(err.user_message, "fine")
  end)

  t.test("an error message from the body", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      c.pipeline.cleanup:add(host.rest.response_transformer(function(response)
        if response.ok then return response end
        local err = response.error
        return host.rest.failure(host.rest.error {
          user_message = err.json.error or err.user_message, http_status_code = err.http_status_code, entity = err.entity })
      end))
    end)
    host:stub("GET", url, { status = 403, json = { error = "not you" } })
    local _, err = r:load():await()
    t.equal(err.user_message, "not you")
    t.equal(err.http_status_code, 403)
  end)
end)
