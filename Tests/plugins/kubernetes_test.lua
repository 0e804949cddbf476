local t = require "resthost.test"

local host, rest, api, kubernetes
local pods = "/api/v1/pods"
local url = "https://cluster.test" .. pods

local function pod(name, version)
  return { metadata = { name = name, resourceVersion = tostring(version) } }
end

local function list(version, items, continue)
  return {
    json = {
      kind = "PodList", apiVersion = "v1", items = rest.json.array(items),
      metadata = { resourceVersion = tostring(version), continue = continue },
    },
  }
end

local function stream(...)
  local lines = {}
  for number, one in ipairs { ... } do
    lines[number] = rest.json.encode { type = one[1], object = one[2] } .. "\n"
  end
  return { body = table.concat(lines), headers = { ["Content-Type"] = "application/json" } }
end

-- Answers lists and watches one after the other, the last of each again and again.
local function stubs(lists, watches)
  local function one_by_one(replies)
    local number = 0
    return function()
      number = math.min(number + 1, #replies)
      return replies[number]
    end
  end
  host:stub("GET", url .. "*", one_by_one(lists))
  return host:stub("GET", url .. "?*watch=1", one_by_one(watches))
end

local function collect(count, options)
  local seen, result = {}, nil
  rest.spawn(function()
    result = table.pack(kubernetes.watch(api, pods, function(event)
      seen[#seen + 1] = event.type .. " " .. event.object.metadata.name
      return #seen < count
    end, options))
  end)
  host:advance(300)
  return seen, result
end

t.before_each(function()
  host = t.load {
    source = [[
      local kubernetes = require "resthost.kubernetes"
      kubernetes.cluster { name = "api", url = "https://cluster.test", token = "a-token" }
      string.handed_over = kubernetes
    ]],
  }
  rest, api, kubernetes = host.rest, host.services.api, string.handed_over
end)

t.test("a list has the kind and version of its objects, and sends the token", function()
  local stub = host:stub("GET", url .. "*", list(7, { pod("a", 1) }))
  local objects, version = kubernetes.list(api, pods, { label_selector = "app=web" })
  t.equal({ objects[1].kind, objects[1].apiVersion, version }, { "Pod", "v1", "7" })
  t.equal(stub.requests[1].headers.authorization, "Bearer a-token")
  t.equal(stub.requests[1].url, url .. "?labelSelector=app%3Dweb&limit=500")
end)

t.test("a list that expires between pages begins again once", function()
  stubs({ list(7, { pod("a", 1) }, "more"), { status = 410 } }, {})
  local objects, err = kubernetes.list(api, pods)
  t.equal({ objects == nil, err.http_status_code }, { true, 410 })
end)

t.test("a watch begins with the list, and goes on with bookmarks", function()
  local watches = stubs({ list(7, { pod("a", 1) }) }, {
    stream({ "MODIFIED", pod("a", 8) }, { "BOOKMARK", { metadata = { resourceVersion = "20" } } }),
    stream({ "DELETED", pod("a", 21) }),
  })
  local seen, result = collect(3)
  t.equal(seen, { "ADDED a", "MODIFIED a", "DELETED a" })
  t.equal(result, { true, n = 1 })
  t.matches(watches.requests[1].url, "resourceVersion=7&")
  t.matches(watches.requests[2].url, "resourceVersion=20&")
end)

t.test("410 in a watch brings what was missed", function()
  stubs({ list(7, { pod("a", 1), pod("b", 2) }), list(30, { pod("a", 9), pod("c", 10) }) }, {
    { status = 410, json = { code = 410 } }, stream({ "ADDED", pod("d", 31) }),
  })
  local seen = collect(6)
  t.equal(seen, { "ADDED a", "ADDED b", "MODIFIED a", "ADDED c", "DELETED b", "ADDED d" })
end)

t.test("failures that may pass are tried again with growing pauses", function()
  local watches = stubs({ list(7, {}) }, {
    { status = 503 }, { error = { type = "connection_failed" } }, stream({ "ADDED", pod("a", 8) }),
  })
  t.equal(collect(1), { "ADDED a" })
  t.equal(#watches.requests, 3)
end)

t.test("a server that ends each watch at once is asked once a second", function()
  local watches = stubs({ list(7, {}) }, { { body = "" } })
  collect(1)
  t.equal(#watches.requests <= 301 and #watches.requests > 200, true)
end)

t.test("refusals, broken lines and too many objects end it with an error", function()
  local function problem(watch, options)
    stubs({ list(7, {}) }, { watch })
    local _, result = collect(99, options)
    return result and tostring(result[2])
  end
  t.matches(problem { status = 403, json = { message = "pods is forbidden" } }, "pods is forbidden")
  t.matches(problem { body = "<html>\n" }, "a line that is no event: <html>")
  t.matches(problem(stream { "ADDED", { metadata = {} } }), "an object of the watch has no name")
  t.matches(problem(stream({ "ADDED", pod("a", 8) }, { "ADDED", pod("b", 9) }), { max_items = 1 }),
    "more objects than 'max_items' (1)")
  stubs({ { json = { items = { "x" }, metadata = { resourceVersion = "1" } } } }, {})
  t.matches(tostring(select(2, kubernetes.list(api, pods))), "an object of the list has no name")
  stubs({ { json = { items = rest.json.array {}, metadata = {} } } }, {})
  t.matches(tostring(select(2, collect(1))[2]), "the list at /api/v1/pods has no version")
  stubs({ list(7, { pod("a", 1) }) }, {})
  t.matches(tostring(select(2, kubernetes.watch(api, pods, function() error "boom" end))), "boom")
  t.matches(problem(stream { "ERROR", { code = 400, message = "bad selector" } }), "bad selector")
  stubs({ list(7, { pod("a", 1), pod("b", 2) }) }, {})
  t.matches(tostring(select(2, collect(99, { max_items = 1 }))[2]), "more items than 'max_items' (1)")
end)

t.test("the token is read again each minute", function()
  local other = t.load {
    source = [[
      local rest = require "resthost"
      local reads = 0
      local function read_file(path)
        reads = reads + 1
        return path .. " " .. reads .. "\n"
      end
      package.loaded.resthost = setmetatable({ read_file = read_file }, { __index = rest })
      local kubernetes = require "resthost.kubernetes"
      kubernetes.cluster { name = "api", url = "https://cluster.test", token_file = "token" }
      string.handed_over = kubernetes
    ]],
  }
  local stub = other:stub("GET", url .. "*", { json = { items = other.rest.json.array {}, metadata = {} } })
  for _, pause in ipairs { 0, 0, 59, 1 } do
    other:advance(pause)
    t.assert(string.handed_over.list(other.services.api, pods))
  end
  local tokens = {}
  for number, request in ipairs(stub.requests) do tokens[number] = request.headers.authorization end
  t.equal(tokens, { "Bearer token 1", "Bearer token 1", "Bearer token 1", "Bearer token 2" })
end)

t.test("without a token none is sent", function()
  local other = t.load {
    source = [[
      string.handed_over = require "resthost.kubernetes"
      string.handed_over.cluster { name = "api", url = "https://cluster.test", token = false }
    ]],
  }
  local stub = other:stub("GET", url .. "*", { json = { items = other.rest.json.array {}, metadata = {} } })
  t.assert(string.handed_over.list(other.services.api, pods))
  t.equal(stub.requests[1].headers.authorization, nil)
end)

t.test("a plugin may send the token, and a watch that is refused goes on with the next one", function()
  host = t.load {
    source = [[
      local kubernetes = require "resthost.kubernetes"
      string.handed_over = kubernetes
      local api = kubernetes.cluster { name = "api", url = "https://cluster.test", token = false }
      api:use("oauth2", { token_url = "https://id.test/token", client_id = "me", client_secret = "a secret" })
    ]],
  }
  rest, api, kubernetes = host.rest, host.services.api, string.handed_over
  local issued = 0
  host:stub("POST", "https://id.test/token", function()
    issued = issued + 1
    return { json = { access_token = "token-" .. issued } }
  end)
  local watches = stubs({ list(7, {}) }, { { status = 401 }, stream({ "ADDED", pod("a", 8) }) })
  t.equal(collect(1), { "ADDED a" })
  t.equal({ #watches.requests, watches.requests[2].headers.authorization }, { 2, "Bearer token-2" })
end)

t.test("a cluster without its files is an error", function()
  t.raises(function() t.load { source = [[require("resthost.kubernetes").cluster()]] } end, "--allow-read")
end)
