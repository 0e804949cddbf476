-- Shared by the specs: a host with one service, a record of events, a short way to answer.
local t = require "resthost.test"

local support = {}

support.base = "https://api.test/v1/"

-- A host with a service. Most specs use the resource /foo.
function support.service(options)
  options = options or {}
  options.base_url = options.base_url or support.base
  options.name = options.name or "api"
  local host = t.host()
  return host, host.rest.service(options)
end

-- An observer that records events, progress and its end, with the state at each event.
function support.observer(events)
  events = events or {}
  local observer = { events = events, states = {} }
  function observer:changed(resource, event)
    events[#events + 1] = event
    self.states[#self.states + 1] = {
      event = event, is_loading = resource.is_loading, has_data = resource.latest_data ~= nil,
      has_error = resource.latest_error ~= nil,
    }
  end
  function observer:stopped_observing() events[#events + 1] = "stopped" end
  return observer
end

function support.names(list, key)
  local names = {}
  for index, item in ipairs(list) do names[index] = item[key] end
  return names
end

-- The hooks of a request that ran, in order.
function support.hooks(request, log)
  log = log or {}
  local function note(name)
    return function() log[#log + 1] = name end
  end
  request:on_completion(note "completion"):on_success(note "success"):on_new_data(note "new_data")
    :on_not_modified(note "not_modified"):on_failure(note "failure")
  return log
end

return support
