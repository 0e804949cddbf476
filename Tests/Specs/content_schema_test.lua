local t = require "resthost.test"
local support = require "support"

local url = support.base .. "user"

local user = {
  title = "User", type = "object", required = { "id" },
  properties = { id = { type = "integer" }, name = { type = "string" }, tags = { items = { type = "string" } } },
}

local function setup(schema, edit)
  local host, service = support.service()
  service:configure("**", function(c)
    c.schema = schema or user
    if edit then edit(c, host) end
  end)
  return host, service:resource("user"), service
end

t.describe("c.schema", function()
  t.test("a content that matches goes on, and another is an error that names the places", function()
    local host, r, service = setup()
    local seen = 0
    service:configure_transformer("**", function(content) seen = seen + 1 return content end)
    host:stub("GET", url, { json = { id = 1, name = "Ann" } })
    t.equal(t.assert(r:load():await()).content.name, "Ann")
    t.equal(seen, 1)
    host:stub("GET", url, { json = { id = "x", name = 5, tags = { 1, 2 } } })
    local _, err = r:load():await()
    t.equal(seen, 1)
    t.equal(err.cause.type, "schema_mismatch")
    t.equal(err.cause.count, 4)
    t.equal(err.user_message, "Unexpected server response")
    t.equal(err.http_status_code, 200)
    t.equal(err.json.id, "x")
    for _, text in ipairs { "GET " .. url, "the schema 'User' in 4 places", "/id is of type string, not integer",
      "(/properties/id/type)", "; …" } do
      t.matches(tostring(err), text)
    end
    t.equal(select(2, tostring(err):gsub("is of type", "")), 3)
    t.equal(r.latest_data.content.name, "Ann")
  end)

  t.test("a schema that was compiled before, with formats", function()
    local host, service = support.service()
    local schema = host.rest.schema.compile({ properties = { at = { format = "date" } } }, { formats = true })
    service:configure("**", function(c)
      c.schema = schema
      t.equal(c.schema:validate { at = "x" }, nil)
    end)
    host:stub("GET", url, { json = { at = "yesterday" } })
    local _, err = service:resource("user"):load():await()
    t.equal(err.cause.count, 1)
    t.matches(err.cause.message, "the schema in one place: /at has not the form of date")
  end)

  t.test("nil removes it; another block replaces it", function()
    local host, r, service = setup()
    service:configure("user", function(c) c.schema = nil end)
    service:configure("other", function(c) c.schema = { type = "array" } end)
    host:stub("GET", url, { json = { id = "x" } })
    host:stub("GET", support.base .. "other", { json = { id = 1 } })
    t.assert(r:load():await())
    local _, err = service:resource("other"):load():await()
    t.matches(err.cause.message, "not array")
  end)

  t.test("transformers of the stage parsing that come later still run before it", function()
    local host, r, service = setup()
    service:configure_transformer("**", { stage = "parsing", action = "append" }, function(content) return { id = content.ID } end)
    host:stub("GET", url, { json = { ID = 1 } })
    t.assert(r:load():await())
  end)

  t.test("text and images instead of a value", function()
    local host, r = setup()
    host:stub("GET", url, { body = "<html>login</html>", headers = { ["Content-Type"] = "text/html" } })
    local _, err = r:load():await()
    t.matches(err.cause.message, "the value is of type string, not object")
    host:stub("GET", url, { body = "\1\2", headers = { ["Content-Type"] = "application/x-odd" } })
    _, err = r:load():await()
    t.equal(err.cause.type, "schema_mismatch")
    t.matches(err.cause.message, "the content is bytes")
  end)

  t.test("errors, answers without a body and parts aren't checked", function()
    local host, r = setup()
    host:stub("GET", url, { status = 404, json = { message = "gone" } })
    t.equal(select(2, r:load():await()).cause, nil)
    host:stub("DELETE", url, { status = 204 })
    t.assert(r:request("DELETE"):await())
  end)

  t.test("a value that the model changes is checked before", function()
    local host, r, service = setup()
    service:configure_transformer("**", function() return { id = "changed" } end)
    host:stub("GET", url, { json = { id = 1 } })
    t.equal(t.assert(r:load():await()).content.id, "changed")
  end)

  t.test("a mismatch isn't sent again", function()
    local host, r = setup(nil, function(c) c.retry = { attempts = 3 } end)
    local stub = host:stub("GET", url, { json = {} })
    t.equal(select(2, r:load():await()).cause.type, "schema_mismatch")
    t.equal(#stub.requests, 1)
  end)

  t.test("only the methods of the block are checked", function()
    local host, service = support.service()
    service:configure("**", { methods = { "GET" } }, function(c) c.schema = user end)
    host:stub("POST", url, { json = { answer = true } })
    t.assert(service:resource("user"):request("POST"):await())
    host:stub("GET", url, { json = { answer = true } })
    t.equal(select(2, service:resource("user"):load():await()).cause.count, 1)
  end)

  t.test("304 confirms the data that was checked", function()
    local host, r = setup()
    host:stub("GET", url, { json = { id = 1 }, headers = { ETag = '"a"' } })
    t.assert(r:load():await())
    host:stub("GET", url, { status = 304 })
    t.assert(r:load():await())
    t.equal(r.latest_error, nil)
    t.equal(r.latest_data.content.id, 1)
  end)

  t.test("a cache behind the stage keeps no content that doesn't match, and isn't checked again", function()
    local writes, reads = 0, 0
    local cache
    local host, r = setup(nil, function(c, host)
      cache = cache or host.rest.cache.custom {
        key = function(resource) return resource.url end,
        read = function() reads = reads + 1
          return host.rest.entity { content = { id = "old" }, timestamp = host.rest.now() } end,
        write = function() writes = writes + 1 end, remove = function() end,
      }
      c.pipeline.parsing.cache = cache
    end)
    host:stub("GET", url, { json = { id = "x" } })
    t.equal(r:get().id, "old")
    t.equal(reads, 1)
    local _, err = r:load():await()
    host:settle()
    t.equal(err.cause.type, "schema_mismatch")
    t.equal(writes, 0)
    host:stub("GET", url, { json = { id = 2 } })
    t.assert(r:load():await())
    host:settle()
    t.equal(writes, 1)
  end)

  t.test("a cache before the stage is checked, and a content that doesn't match is no hit", function()
    local cache
    local host, r = setup(nil, function(c, host)
      cache = cache or host.rest.cache.custom {
        key = function(resource) return resource.url end,
        read = function() return host.rest.entity { content = host.rest.bytes '{"id":"old"}',
          content_type = "application/json", timestamp = host.rest.now() } end,
        write = function() end, remove = function() end,
      }
      c.pipeline.raw_data.cache = cache
    end)
    host:stub("GET", url, { json = { id = 1 } })
    t.equal(r:get().id, 1)
  end)

  t.test("events of a stream", function()
    local host, service = support.service()
    service:configure("user", function(c) c.stream, c.schema = "events", user end)
    host:stub("GET", url, { body = 'data: {"id":1}\n\ndata: {"id":"x"}\n\n',
      headers = { ["Content-Type"] = "text/event-stream" } })
    local r = service:resource("user")
    local observer = support.observer()
    r:add_observer(observer)
    r:load()
    host:settle()
    t.equal(r.latest_data.content.id, 1)
    t.equal(r.latest_error.cause.type, "schema_mismatch")
  end)

  t.test("a transformer module on another thread comes behind it", function()
    local host, r, service = setup()
    service:configure_transformer("**", "json_module")
    host:stub("GET", url, { json = { id = 7, tags = { "a" } } })
    t.equal(t.assert(r:load():await()).content, { id = 7, tag = "a", valid = true })
    host:stub("GET", url, { json = { id = "x" } })
    t.equal(select(2, r:load():await()).cause.type, "schema_mismatch")
  end)

  t.test("computed resources", function()
    local host, service = support.service()
    service:configure("sum", function(c) c.schema = { properties = { n = { type = "integer" } } } end)
    local n = 1
    service:computed("sum", { expiration_time = 1 }, function() return { n = n } end)
    t.equal(service:resource("sum"):get().n, 1)
    n = "x"
    host:advance(2)
    local _, err = service:resource("sum"):load():await()
    t.equal(err.cause.type, "schema_mismatch")
  end)

  t.test("a pipeline without the stage parsing is an error", function()
    local _, r = setup(nil, function(c) c.pipeline.order = { "raw_data", "model" } end)
    local _, err = r:load():await()
    t.matches(tostring(err), "the schema 'User' set at")
    t.matches(tostring(err), "is checked after the stage 'parsing', which c.pipeline.order doesn't have")
    t.matches(err.cause.message, "content_schema_test.lua")
  end)

  t.test("a wrong schema fails the block with its line", function()
    local _, r = setup { type = "strin" }
    local _, err = r:load():await()
    t.matches(tostring(err), "content_schema_test.lua:%d+: .*the unknown type 'strin'")
    local _, other = setup(true)
    _, err = other:load():await()
    t.matches(tostring(err), "schema or table")
  end)

  t.test("an error of a script can have its cause", function()
    local host, r, service = setup()
    host:stub("GET", url, { json = { name = "Ann" } })
    local _, err = r:load():await()
    service:configure_transformer("again", function() error(host.rest.error { cause = err.cause }) end)
    host:stub("GET", support.base .. "again", { json = { id = 1 } })
    local _, again = service:resource("again"):load():await()
    t.equal(again.cause, err.cause)
    t.equal(again.user_message, "Unexpected server response")
  end)
end)
