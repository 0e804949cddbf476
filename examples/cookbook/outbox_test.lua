local t = require "resthost.test"

local url = "http://127.0.0.1:8081/messages"
local host

t.before_each(function() host = t.load "outbox.lua" end)

local function send(text) return host:request("POST", "/messages", { json = { text = text } }) end

local function texts(stub)
  local list = {}
  for number, request in ipairs(stub.requests) do list[number] = host.rest.json.decode(request.body).text end
  return list
end

t.test("messages are delivered in order", function()
  local stub = host:stub("POST", url, { status = 201 })
  t.equal(send("a").json, { waiting = 1 })
  t.equal(send("b").json, { waiting = 2 })
  host:advance(1)
  t.equal(texts(stub), { "a", "b" })
  t.equal(send("c").json, { waiting = 1 })
end)

t.test("a message waits while the API is away, longer and longer, with the same key", function()
  local stub = host:stub("POST", url, { error = { type = "connection_failed" } })
  send "a"
  send "b"
  host:advance(8)
  t.equal(texts(stub), { "a", "a", "a", "a" })
  t.equal(stub.requests[1].headers["idempotency-key"], stub.requests[4].headers["idempotency-key"])
  local works = host:stub("POST", url, { status = 201 })
  host:advance(10)
  t.equal(texts(works), { "a", "b" })
end)

t.test("a message without JSON is not taken", function()
  t.equal(host:request("POST", "/messages", { body = "hello" }).status, 422)
end)

t.test("a message that the API refuses is put aside", function()
  host:stub("POST", url, function(request)
    return host.rest.json.decode(request.body).text == "bad" and {
      status = 422, json = { error = "no text" },
    } or { status = 201 }
  end)
  send "bad"
  send "good"
  host:advance(2)
  local refused = host:request("GET", "/refused").json
  t.equal(#refused, 1)
  t.equal(refused[1].message.body, { text = "bad" })
  t.matches(refused[1].reason, "no text")
end)
