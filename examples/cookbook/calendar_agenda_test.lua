local t = require "resthost.test"

local base = "http://127.0.0.1:5232/ada/work/"
local host

t.before_each(function() host = t.load "calendar_agenda.lua" end)

local answer = [[<?xml version="1.0"?>
<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
 <response><href>/b.ics</href><propstat><prop><C:calendar-data>BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:19700113T100000
SUMMARY:Tea\, cake
  and talk
END:VEVENT
END:VCALENDAR</C:calendar-data></prop></propstat></response>
 <response><href>/a.ics</href><propstat><prop><C:calendar-data>BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Dentist &amp; more
DTSTART:19700112T140000Z
END:VEVENT
END:VCALENDAR</C:calendar-data></prop></propstat></response>
</multistatus>]]

t.test("events are sorted, with unfolded and unescaped texts", function()
  local stub = host:stub("REPORT", base, {
    status = 207, body = answer, headers = { ["Content-Type"] = "text/xml" },
  })
  t.equal(host:request("GET", "/agenda").json, {
    { start = "19700112T140000Z", summary = "Dentist & more" },
    { start = "19700113T100000", summary = "Tea, cake and talk" },
  })
  local request = stub.requests[1]
  t.equal(request.headers.depth, "1")
  t.matches(request.body, 'start="19700112T134640Z"')
  t.matches(request.body, 'end="19700119T134640Z"')
end)

t.test("an answer that is no XML is an error", function()
  host:stub("REPORT", base, {
    status = 207, body = "<multistatus>", headers = { ["Content-Type"] = "text/xml" },
  })
  t.equal(host:request("GET", "/agenda").status >= 500, true)
end)

t.test("an event is added, and can't add lines of its own", function()
  local stub = host:stub("PUT", base .. "*.ics", { status = 201 })
  local form = { start = "20260102T090000Z", summary = "Tea; cake\r\nDTSTART:x" }
  t.equal(host:request("POST", "/events", { form = form }).status, 201)
  t.matches(stub.requests[1].body, "SUMMARY:Tea\\; cake DTSTART:x\r\n")
  t.equal(stub.requests[1].headers["if-none-match"], "*")
  form.start = "tomorrow\r\nX:y"
  t.equal(host:request("POST", "/events", { form = form }).status, 422)
end)
