local t = require "resthost.test"
local support = require "support"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo")
end

t.describe("tables with several owners (13.13, 13.14, 13.19)", function()
  -- The test must not hold the observer in a local of its own.
  local function observe(r, ...)
    local seen, watched = {}, setmetatable({}, { __mode = "v" })
    local function add(...)
      local observer = { changed = function(_, _, event) seen[#seen + 1] = event end }
      watched[1] = observer
      for index = 1, select("#", ...) do
        local owner = select(index, ...)
        if owner == "self" then r:add_observer(observer) else r:add_observer(observer, owner) end
      end
    end
    add(...)
    seen[1] = nil
    return seen, watched
  end

  local function collect(host)
    for _ = 1, 3 do
      host:settle()
      collectgarbage()
    end
  end

  for _, order in ipairs { "self first", "owner first" } do
    t.test("without the owner that was removed it is held weakly, " .. order, function()
      local host, r = setup()
      local owner = {}
      local first, second = "self", owner
      if order == "owner first" then first, second = second, first end
      local seen, watched = observe(r, first, second)
      collect(host)
      t.assert(watched[1], "the owner lives")
      r:remove_observers(owner)
      collect(host)
      t.equal(watched[1], nil)
      r:override_local_content "x"
      t.equal(seen, {})
    end)
  end

  t.test("one of two owners is removed, and the observer goes with the other", function()
    local host, r = setup()
    local one, two = {}, {}
    local seen, watched = observe(r, one, two)
    r:remove_observers(one)
    collect(host)
    r:override_local_content "x"
    t.equal(seen, { "new_data(local_override)" })
    two = nil
    collect(host)
    t.equal(watched[1], nil)
    t.equal(two, nil)
  end)

  t.test("who is removed hears of it before it goes, and is let go of", function()
    local host, r = setup()
    local owner, ends = {}, 0
    local watched = setmetatable({}, { __mode = "v" })
    local function add()
      watched[1] = { stopped_observing = function() ends = ends + 1 end }
      r:add_observer(watched[1], owner)
    end
    add()
    r:remove_observers(owner)
    collectgarbage()
    host:settle()
    t.equal(ends, 1)
    collect(host)
    t.equal(watched[1], nil)
    t.equal(type(owner), "table")
  end)

  t.test("who was kept by an owner that died hears of it", function()
    local host, r = setup()
    local ends = 0
    local function add()
      r:add_observer({ stopped_observing = function() ends = ends + 1 end }, {})
    end
    add()
    collect(host)
    r:override_local_content "x"
    host:settle()
    t.equal(ends, 1)
  end)
end)
