local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("refresh_on", function()
  local function setup_refresh(options)
    local host, service = support.service()
    local state = { token = "old", refreshes = 0, valid = "new" }
    host:stub("GET", support.base .. "**", function(request)
      if request.headers["Authorization"] == state.valid then
        return { text = "ok", delay = 1 }
      end
      return { status = 401, delay = options and options.delay or 1 }
    end)
    service:configure("**", function(c)
      c.headers["Authorization"] = state.token
      c:decorate_requests(state.decorator)
    end)
    state.decorator = host.rest.refresh_on(401, function()
      state.refreshes = state.refreshes + 1
      host.rest.sleep(5)
      if state.fail then return nil, host.rest.error { user_message = "no login" } end
      state.token = state.valid
      service:invalidate_configuration()
      return true
    end)
    service:invalidate_configuration()
    return host, service, state
  end

  t.test("five 401s together make one refresh", function()
    local host, service, state = setup_refresh()
    local requests = {}
    for i = 1, 5 do requests[i] = service:resource("/r" .. i):load() end
    host:advance(20)
    t.equal(state.refreshes, 1)
    for i = 1, 5 do t.equal(t.assert(requests[i]:await()).content, "ok") end
  end)

  t.test("a failed refresh fails all once", function()
    local host, service, state = setup_refresh()
    state.fail = true
    local requests = {}
    for i = 1, 5 do requests[i] = service:resource("/r" .. i):load() end
    host:advance(20)
    t.equal(state.refreshes, 1)
    for i = 1, 5 do
      local entity, err = requests[i]:await()
      t.equal(entity, nil)
      t.assert(err)
    end
  end)

  t.test("a late 401 with an old token repeats without a refresh", function()
    local host, service, state = setup_refresh()
    local slow = host:stub("GET", support.base .. "slow", function(request)
      if request.headers["Authorization"] == state.valid then return { text = "ok" } end
      return { status = 401, delay = 60 }
    end)
    local late = service:resource("/slow"):load()
    local quick = service:resource("/quick"):load()
    host:advance(30)
    t.equal(state.refreshes, 1)
    t.assert(quick:await())
    host:advance(60)
    t.equal(state.refreshes, 1)
    t.equal(t.assert(late:await()).content, "ok")
    t.equal(#slow.requests, 2)
  end)

  t.test("a repeat that fails again fails", function()
    local host, service, state = setup_refresh()
    state.valid = "never"
    local decorated = state.decorator
    state.decorator = host.rest.refresh_on(401, function() state.refreshes = state.refreshes + 1 return true end)
    service:invalidate_configuration()
    local load = service:resource("/x"):load()
    host:advance(30)
    local _, err = load:await()
    t.equal(err.http_status_code, 401)
    t.equal(state.refreshes, 1)
  end)
end)
