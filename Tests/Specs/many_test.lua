local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("many (23.1, 23.7)", function()
  t.test("20,000 look-ups of 20 URLs give 20 resources", function()
    local _, _, service = setup()
    local seen, count = {}, 0
    for i = 1, 20000 do
      local r = service:resource("/r" .. i % 20)
      if not seen[r] then
        seen[r] = true
        count = count + 1
      end
    end
    t.equal(count, 20)
  end)

  t.test("5,000 observers hear of each change", function()
    local host, r = setup()
    local told, owner = 0, {}
    for _ = 1, 5000 do r:add_observer(function() told = told + 1 end, owner) end
    told = 0
    r:override_local_content("x")
    t.equal(told, 5000)
    t.assert(owner)
  end)

  t.test("a resource has 10,000 observers at most, and room for others when some are removed", function()
    local host, r = setup()
    local owner, other = {}, {}
    for i = 1, 10000 do r:add_observer(function() end, i <= 10 and other or owner) end
    local ok, message = pcall(r.add_observer, r, function() end, owner)
    t.equal(ok, false)
    t.matches(tostring(message), "has 10000 observers")
    r:remove_observers(other)
    for _ = 1, 10 do r:add_observer(function() end, owner) end
    t.equal(pcall(r.add_observer, r, function() end, owner), false)
  end)

  t.test("load_if_needed on a fresh resource does nothing, however often", function()
    local host, r = setup()
    r:override_local_content("x")
    for _ = 1, 20000 do
      if r:load_if_needed() then t.fail("a load") end
    end
  end)
end)
