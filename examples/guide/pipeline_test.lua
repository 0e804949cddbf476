-- Tests of the pipeline scripts: resthost test examples/guide
local t = require "resthost.test"

local api = "http://127.0.0.1:8081"
local ada = { login = "ada", name = "Ada Lovelace" }

local function load(name)
  local host = t.load(name .. ".lua")
  host:stub("GET", api .. "/users/ada", { json = ada })
  return host, host.services[name]:resource("/users/ada"), host.services[name]
end

t.test("model_mapping: users are users", function()
  local host, user = load "model_mapping"
  local content = t.assert(user:get())
  t.equal(content, ada)
  t.equal(content:greeting(), "Good day, Ada Lovelace!")
  host:stub("GET", api .. "/users/ada", { text = "no JSON" })
  local _, err = user:load():await()
  t.equal(err.cause.type, "wrong_input_type")
end)

t.test("custom_stages: munging before twiddling", function()
  local _, user = load "custom_stages"
  t.equal(t.assert(user:get()).name, "ADA LOVELACE, Countess of Lovelace")
end)

t.test("content_type: JSON only", function()
  local host, user, service = load "content_type"
  t.equal(t.assert(user:get()).checked, true)
  host:stub("GET", api .. "/text", { text = "plain" })
  t.equal(t.assert(service:resource("/text"):get()), "plain")
end)

t.test("error_message: the API's own words", function()
  local host, user = load "error_message"
  host:stub("GET", api .. "/users/ada", { status = 403, json = { message = "Not for you" } })
  local _, err = user:get()
  t.equal(err.user_message, "Not for you")
  t.equal(err.http_status_code, 403)
  host:advance(2)
  host:stub("GET", api .. "/users/ada", { status = 403, text = "no" })
  _, err = user:get()
  t.equal(err.user_message, "Forbidden")
end)

t.test("parses_once: three hooks, two observers, one run", function()
  local host, user = load "parses_once"
  local owner, seen = {}, {}
  for _ = 1, 2 do
    user:add_observer(function(resource, event)
      if event == "new_data(network)" then seen[#seen + 1] = resource.latest_data.content.parsed end
    end, owner)
  end
  local request = user:load()
  for _ = 1, 3 do
    request:on_success(function(entity) seen[#seen + 1] = entity.content.parsed end)
  end
  host:settle()
  t.equal(seen, { 1, 1, 1, 1, 1 })
end)

t.test("transformer_module: the module's function, in a state of its own", function()
  local host, _, service = load "transformer_module"
  host:stub("GET", api .. "/reports/*", { json = { title = "the long, the short" } })
  t.equal(t.assert(service:resource("/reports/a"):get()), { words = { "long", "short", "the", "title" } })
  service:resource("/reports/b"):load()
  host:settle()
  t.equal(host.rest.store:get "summaries", 2)
  host:stub("GET", api .. "/reports/text", { text = "no JSON" })
  local _, err = service:resource("/reports/text"):get()
  t.equal(err.cause.transformer, "summaries")
end)
