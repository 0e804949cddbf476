-- Tests of main.lua, without the APIs: resthost test
local t = require "resthost.test"

local host, dashboard

t.before_each(function()
  host = t.load "main.lua"
  dashboard = host.services.page:resource "/dashboard/ops"
  host:stub("GET", "http://127.0.0.1:2379/version", { json = { etcdserver = "3.4.23" } })
  host:stub("GET", "http://127.0.0.1:9090/api/v1/query*", { json = { data = { result = { {}, {} } } } })
  host:stub("GET", "http://127.0.0.1:8000/uuid", { json = { uuid = "one" } })
end)

t.test("it is made of three APIs", function()
  t.equal(t.assert(dashboard:get()), {
    name = "ops", etcd = { version = "3.4.23" }, prometheus = { targets = 2 }, httpbin = { id = "one" },
  })
end)

t.test("an API that fails leaves the other parts, and its last content", function()
  dashboard:get()
  host:stub("GET", "http://127.0.0.1:2379/version", { error = { type = "connection_failed" } })
  host:advance(3)
  local content = t.assert(dashboard:get())
  t.equal(content.etcd.last, { version = "3.4.23" })
  t.equal(type(content.etcd.error), "string")
  t.equal(content.httpbin, { id = "one" })
end)

t.test("while a page follows it, it follows the APIs", function()
  local seen = {}
  dashboard:add_observer(function(resource, event)
    if event == "new_data(network)" then seen[#seen + 1] = resource.json.httpbin.id end
  end)
  dashboard:load()
  host:settle()
  host:stub("GET", "http://127.0.0.1:8000/uuid", { json = { uuid = "two" } })
  host:advance(2)
  t.equal(seen, { "one", "two" })
end)

t.test("an API that recovers is there again", function()
  host:stub("GET", "http://127.0.0.1:2379/version", { status = 503 })
  dashboard:add_observer(function() end)
  dashboard:load()
  host:settle()
  t.equal(dashboard.json.etcd.last, nil)
  host:stub("GET", "http://127.0.0.1:2379/version", { json = { etcdserver = "3.5.0" } })
  host:advance(2)
  t.equal(dashboard.json.etcd, { version = "3.5.0" })
end)
