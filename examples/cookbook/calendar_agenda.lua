-- The next seven days of a calendar (CalDAV, RFC 4791) as JSON, and a way to add an event.
--
--   CALDAV_USER=ada CALDAV_PASSWORD=… resthost run calendar_agenda.lua
--   curl http://127.0.0.1:8080/agenda
local rest = require "resthost"

local calendar = rest.service {
  name = "calendar", standard_transformers = { "xml", "text" },
  base_url = rest.env.CALDAV_URL or "http://127.0.0.1:5232/ada/work/",
}
local user, password = rest.env.CALDAV_USER or "ada", rest.env.CALDAV_PASSWORD or "for trying out"
calendar:use("basic", { username = user, password = password })

local dav, caldav = "DAV:", "urn:ietf:params:xml:ns:caldav"
local names = { namespaces = { c = caldav } }
local function time(seconds) return os.date("!%Y%m%dT%H%M%SZ", math.floor(seconds)) end
local function cal(name, attributes, ...)
  return { name = name, namespace = caldav, attributes = attributes, children = { ... } }
end

-- A value of iCalendar (RFC 5545), in which some letters have a backslash.
local function property(event, name)
  local value = event:match("\n" .. name .. "[^:\r\n]*:([^\r\n]*)")
  return value and value:gsub("\\[nN]", "\n"):gsub("\\(.)", "%1")
end

local gateway = rest.gateway { expose = {} }
gateway:route("GET", "/agenda", { expiration_time = 60 }, function()
  local range = cal("time-range", { start = time(rest.now()), ["end"] = time(rest.now() + 7 * 86400) })
  local wanted = { name = "prop", namespace = dav, children = { cal("calendar-data") } }
  local filter = cal("comp-filter", { name = "VCALENDAR" }, cal("comp-filter", { name = "VEVENT" }, range))
  local entity, err = calendar:resource(""):request("REPORT", {
    body = rest.xml.encode(cal("calendar-query", nil, wanted, cal("filter", nil, filter))),
    content_type = "application/xml; charset=utf-8", headers = { Depth = "1" },
  }):await()
  if not entity then return nil, err end
  local list = rest.json.array {}
  for _, data in ipairs(rest.xml.find_all(entity.content, "//c:calendar-data", names)) do
    for event in data.text:gsub("\r?\n[ \t]", ""):gmatch "BEGIN:VEVENT(.-)END:VEVENT" do
      list[#list + 1] = { start = property(event, "DTSTART"), summary = property(event, "SUMMARY") }
    end
  end
  table.sort(list, function(a, b) return (a.start or "") < (b.start or "") end)
  return list
end)

gateway:route("POST", "/events", function(request)
  local form, id = request.form or {}, rest.crypto.uuid()
  if not (form.start or ""):find "^%d+T%d+Z$" then return rest.response { status = 422 } end
  local text = (form.summary or ""):gsub("[\\;,]", "\\%0"):gsub("%c+", " ")
  local lines = {
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//resthost//EN", "BEGIN:VEVENT", "UID:" .. id,
    "DTSTAMP:" .. time(rest.now()), "DTSTART:" .. form.start, "SUMMARY:" .. text, "END:VEVENT",
    "END:VCALENDAR", "",
  }
  local entity, err = calendar:resource(id .. ".ics"):request("PUT", {
    body = table.concat(lines, "\r\n"), content_type = "text/calendar", headers = { ["If-None-Match"] = "*" },
  }):await()
  return entity and rest.response { status = 201 } or nil, err
end)
