-- One test for each way to fail, and some that pass.
local t = require "resthost.test"

t.test("passes", function() print("nobody reads this") end)

t.test("differs", function()
  print("before", "it differs")
  t.equal({ name = "a", tags = { 1, 2 } }, { name = "a", tags = { 1, 3 } })
end)

t.test("raises <an> & \"error\"\n\1", function() error("odd \1 & <tag> ]]> \27[31m") end)

t.test("has no stub", function()
  local host = t.load "github.lua"
  host.services.github:resource("/users/o"):get()
end)

t.test("waits for ever # not a directive", function()
  local host = t.host()
  host.rest.sleep(5)
end)

t.test("can't load", function() t.load "lib/nowhere.lua" end)

t.test("still passes", function() end)
