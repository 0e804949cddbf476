local t = require "resthost.test"

local url = "http://127.0.0.1:8081/flags"
local host

t.before_each(function()
  host = t.load "feature_flags.lua"
  host:stub("GET", url, {
    json = {
      dark_mode = { enabled = true, percent = 100 },
      checkout = { enabled = true, percent = 0, users = { "ada" } },
      search = { enabled = true, percent = 30 },
      old = { enabled = false, percent = 100, users = { "ada" } },
    },
  })
  host:settle()
end)

local function flags(user) return host:request("GET", "/flags/" .. user).json end

t.test("flags are on for lists of users and for shares", function()
  local ada = flags "ada"
  t.equal({ ada.dark_mode, ada.checkout, ada.old }, { true, true, false })
  t.equal(flags("bob").checkout, false)
end)

t.test("a share is about as large as it says, and the same each time", function()
  local count = 0
  for number = 1, 200 do
    if flags("user" .. number).search then count = count + 1 end
  end
  t.equal(count > 40 and count < 80, true, count)
  t.equal(flags("user7").search, flags("user7").search)
end)

t.test("the last flags are used while the server is away", function()
  host:stub("GET", url, { error = { type = "connection_failed" } })
  host:advance(3600)
  t.equal(flags("ada").dark_mode, true)
end)

t.test("new flags arrive within half a minute", function()
  host:stub("GET", url, { json = { dark_mode = { enabled = false } } })
  host:advance(31)
  t.equal(flags("ada"), { dark_mode = false })
end)
