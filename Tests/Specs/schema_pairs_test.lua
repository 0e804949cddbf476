-- c.schema beside other features of a resource.
local t = require "resthost.test"

-- A host whose resources need an `id`.
local function host_with(more)
  return t.load {
    source = ([[
      local rest = require "resthost"
      local api = rest.service { name = "api", base_url = "https://api.example" }
      api:configure("**", function(c) c.schema = { type = "object", required = { "id" } } end)
      %s
      rest.gateway {}
    ]]):format(more or ""),
  }
end

local function type_of(err) return err and err.cause.type end

t.test("a computed content is checked", function()
  local host = host_with [[api:computed("/sum", function() return { sum = 1 } end)]]
  local _, err = host.services.api:resource("/sum"):get()
  t.equal(type_of(err), "schema_mismatch")
end)

t.test("each event of a stream is checked, and the last good content stays", function()
  local host = host_with [[api:configure("/events", function(c) c.stream = "events" end)]]
  host:stub("GET", "/events", {
    headers = { ["Content-Type"] = "text/event-stream" }, body = 'data: {"id":1}\n\ndata: {"x":1}\n\n',
  })
  local events = host.services.api:resource "/events"
  events:load()
  host:settle()
  t.equal(events.json.id, 1)
  t.equal(type_of(events.latest_error), "schema_mismatch")
end)

t.test("a 304 is not checked, and the answer to a POST is", function()
  local host = host_with()
  local item = host.services.api:resource "/item"
  host:stub("GET", "/item", { json = { id = 1 }, headers = { ETag = '"1"' } })
  t.assert(item:get())
  host:stub("GET", "/item", { status = 304 })
  t.assert(item:load():await())
  host:stub("POST", "/item", { status = 201, json = { done = true } })
  local _, err = item:request("POST"):await()
  t.equal(type_of(err), "schema_mismatch")
end)

t.test("a mismatch is not sent again by c.retry, and opens no breaker", function()
  local host = host_with [[api:configure("**", function(c) c.retry, c.breaker = true, { requests = 1 } end)]]
  local stub = host:stub("GET", "/item", { json = {} })
  for _ = 1, 3 do host.services.api:resource("/item"):load():await() end
  t.equal(#stub.requests, 3)
end)

t.test("clients of the gateway get 502, and a streamed body is not checked", function()
  local host = host_with [[api:configure("/raw", function(c) c.stream = "body" end)]]
  host:stub("GET", "**", { json = { x = 1 } })
  local answer = host:request("GET", "/api/item")
  t.equal({ answer.status, answer.json.code }, { 502, "schema_mismatch" })
  t.equal(host:request("GET", "/api/raw").body, '{"x":1}')
end)

t.test("each partition has its own error", function()
  local host = host_with()
  host:stub("GET", "/item", { json = {} })
  local api = host.services.api
  api:resource("/item", { partition = "ada" }):load():await()
  t.equal(type_of(api:resource("/item", { partition = "ada" }).latest_error), "schema_mismatch")
  t.equal(api:resource("/item", { partition = "bob" }).latest_error, nil)
end)
