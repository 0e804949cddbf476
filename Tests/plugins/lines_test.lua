local t = require "resthost.test"
local lines = require "resthost.lines"

local function split(...)
  local got = {}
  local read = lines.splitter(function(line) got[#got + 1] = line end)
  for _, piece in ipairs { ... } do read(piece) end
  read()
  return got
end

local function events(...)
  local got = {}
  local read = lines.events(function(name, data) got[#got + 1] = name .. "=" .. data end)
  for _, piece in ipairs { ... } do read(piece) end
  return got
end

t.test("lines may be cut anywhere, and the last one needs no end", function()
  t.equal(split("a\nb", "c\r", "\n\nd"), { "a", "bc", "", "d" })
  t.equal(split(""), {})
  t.equal(split("\n"), { "" })
end)

t.test("a line that is too long is an error", function()
  local read = lines.splitter(function() end)
  read(("x"):rep(1000000))
  t.raises(function() read(("x"):rep(100000)) end, "more than 1048576 bytes")
  read = lines.splitter(function() end)
  t.raises(function() read(("x"):rep(1048577) .. "\n") end, "more than 1048576 bytes")
end)

t.test("a long line may come in pieces of one byte", function()
  local got
  local read = lines.splitter(function(line) got = line end)
  for _ = 1, 300000 do read "x" end
  read "\n"
  t.equal(#got, 300000)
end)

t.test("events have a name and data of several lines", function()
  t.equal(events("data: a\ndata:b\n\n"), { "message=a\nb" })
  t.equal(events("event: x\nda", "ta: 1\n\n", ": comment\n\nevent: y\n\ndata: 2\n\n"), {
    "x=1", "y=", "message=2",
  })
  t.equal(events("data: cut off\n"), {})
  t.equal(events("data\nid: 5\nretry: 9\n\n"), { "message=" })
end)

t.test("an event that is too long is an error", function()
  local read = lines.events(function() end)
  local line = "data: " .. ("x"):rep(1000) .. "\n"
  t.raises(function()
    for _ = 1, 2000 do read(line) end
  end, "more than 1048576 bytes")
  read = lines.events(function() end)
  local empty = ("data:\n"):rep(1000)
  t.raises(function()
    for _ = 1, 2000 do read(empty) end
  end, "more than 1048576 bytes")
end)
