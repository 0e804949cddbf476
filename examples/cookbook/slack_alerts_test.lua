local t = require "resthost.test"

local url = "https://slack.com/api/chat.postMessage"
local host, stub

t.before_each(function()
  host = t.load "slack_alerts.lua"
  stub = host:stub("POST", url, { json = { ok = true } })
end)

local function alert(text) return host:request("POST", "/alert", { form = { text = text } }) end

t.test("an alert is a message in the channel", function()
  t.equal(alert("Disk is full").json, { sent = true })
  t.equal(host.rest.json.decode(stub.requests[1].body), { channel = "#alerts", text = "Disk is full" })
end)

t.test("equal alerts are sent once in ten minutes", function()
  alert "Disk is full"
  t.equal(alert("Disk is full").json, { sent = false })
  host:advance(601)
  t.equal(alert("Disk is full").json, { sent = true })
  t.equal(#stub.requests, 2)
end)

t.test("one message a second is sent", function()
  for number = 1, 4 do host.rest.spawn(function() alert("Alert " .. number) end) end
  host:settle()
  t.equal(#stub.requests, 1)
  host:advance(2)
  t.equal(#stub.requests, 3)
  host:advance(2)
  t.equal(#stub.requests, 4)
end)

t.test("an error of Slack with the status 200 is an error, and the alert may come again", function()
  host:stub("POST", url, { json = { ok = false, error = "channel_not_found" } })
  t.equal(alert("Disk is full").status, 500)
  host:stub("POST", url, { json = { ok = true } })
  host:advance(1)
  t.equal(alert("Disk is full").json, { sent = true })
end)

t.test("Slack says how long to wait", function()
  local busy = host:stub("POST", url, { status = 429, headers = { ["Retry-After"] = "30" } })
  local answer
  host.rest.spawn(function() answer = alert "Disk is full" end)
  host:advance(5)
  t.equal(#busy.requests, 1)
  host:stub("POST", url, { json = { ok = true } })
  host:advance(30)
  t.equal(answer.status, 202)
end)
