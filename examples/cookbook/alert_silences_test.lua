local t = require "resthost.test"

local base = "http://127.0.0.1:9093/api/v2"
local host, alerts, silences

t.before_each(function()
  host = t.load "alert_silences.lua"
  alerts = host:stub("GET", base .. "/alerts?**", {
    json = { { labels = { alertname = "Disk", instance = "db1" }, startsAt = "2026-01-02T09:00:00Z" } },
  })
  silences = host:stub("POST", base .. "/silences", { json = { silenceID = "s1" } })
end)

local function silence(work) return host:request("POST", "/maintenance", { json = work }) end

t.test("alerts that nobody silenced are listed", function()
  t.equal(host:request("GET", "/alerts").json, {
    { alert = "Disk", instance = "db1", since = "2026-01-02T09:00:00Z" },
  })
  t.matches(alerts.requests[1].url, "silenced=false")
end)

t.test("a maintenance is a silence of one machine with an end", function()
  local answer = silence { instance = "db.*", minutes = 30, by = "ada" }
  t.equal({ answer.status, answer.json.id }, { 201, "s1" })
  local sent = host.rest.json.decode(silences.requests[1].body)
  t.equal(sent.matchers, { { name = "instance", value = "db.*", isRegex = false } })
  t.equal(sent.endsAt, answer.json.finish)
end)

t.test("the list is read anew after a change", function()
  for _ = 1, 2 do host:request("GET", "/alerts") end
  t.equal(#alerts.requests, 1)
  silence { instance = "db1", minutes = 30, by = "ada" }
  host:request("GET", "/alerts")
  t.equal(#alerts.requests, 2)
end)

t.test("the end of a maintenance deletes its silence", function()
  local stub = host:stub("DELETE", base .. "/silence/s1", {})
  t.equal(host:request("DELETE", "/maintenance/s1").status, 204)
  t.equal(#stub.requests, 1)
  host:stub("DELETE", base .. "/silence/s1", { status = 404 })
  t.equal(host:request("DELETE", "/maintenance/s1").status, 404)
end)

t.test("a maintenance without an end, a machine or a person is refused", function()
  for _, work in ipairs {
    { instance = "db1", by = "ada" }, { instance = "db1", minutes = 1441, by = "ada" },
    { minutes = 5, by = "ada" }, { instance = "db1", minutes = 5 },
  } do
    t.equal(silence(work).status, 422)
  end
  t.equal(#silences.requests, 0)
end)
