local t = require "resthost.test"

local host, api, graphql, rest
local url = "https://api.test/graphql"

local function load(options, more)
  host = t.load {
    source = ([[
      local rest = require "resthost"
      local api = rest.service { name = "api", base_url = "https://api.test" }
      local graphql = require "resthost.graphql"
      api:use("graphql", { %s })
      string.handed_over = graphql
    ]]):format(options or "") .. (more or ""),
  }
  api, graphql, rest = host.services.api, string.handed_over, host.rest
end

local function body(stub, number) return rest.json.decode(stub.requests[number or #stub.requests].body) end

t.before_each(function() load() end)

t.describe("persisted documents", function()
  local text = "query A { a }"

  t.before_each(function() load "persisted = true" end)

  t.test("are sent by hash, and once as text when the API doesn't know them", function()
    local known = {}
    local stub = host:stub("POST", url, function(request)
      local got = rest.json.decode(request.body)
      local hash = got.extensions.persistedQuery.sha256Hash
      if got.query then known[hash] = true end
      if not known[hash] then
        return {
          json = {
            errors = {
              { message = "PersistedQueryNotFound", extensions = { code = "PERSISTED_QUERY_NOT_FOUND" } },
            },
          },
        }
      end
      return { json = { data = { a = 1 } } }
    end)
    t.equal(t.assert(graphql.query(api, text)), { a = 1 })
    t.equal(#stub.requests, 2)
    t.equal(body(stub, 1).query, nil)
    t.equal(body(stub, 2).query, text)
    t.equal(body(stub, 2).extensions.persistedQuery, {
      version = 1, sha256Hash = rest.hex.encode(rest.crypto.sha256(text)),
    })
    t.assert(graphql.query(api, text, nil, { fresh = true }))
    t.equal(#stub.requests, 3)
    t.equal(body(stub, 3).query, nil)
  end)

  t.test("may be unknown with a status of 400", function()
    local stub = host:stub("POST", url, function(request)
      if rest.json.decode(request.body).query then return { json = { data = { a = 1 } } } end
      return { status = 400, json = { errors = { { message = "PersistedQueryNotFound" } } } }
    end)
    t.equal(t.assert(graphql.query(api, text)), { a = 1 })
    t.equal(#stub.requests, 2)
  end)

  t.test("are given up when the API has none", function()
    local stub = host:stub("POST", url, function(request)
      if rest.json.decode(request.body).query then return { json = { data = { a = 1 } } } end
      return { json = { errors = { { message = "PersistedQueryNotSupported" } } } }
    end)
    t.assert(graphql.query(api, text))
    t.assert(graphql.query(api, "query B { a }"))
    t.equal(#stub.requests, 3)
    t.equal(body(stub), { query = "query B { a }" })
  end)

  t.test("don't loop when the API never learns them", function()
    local stub = host:stub("POST", url, { json = { errors = { { message = "PersistedQueryNotFound" } } } })
    local _, err = graphql.query(api, text)
    t.matches(tostring(err), "PersistedQueryNotFound")
    t.equal(#stub.requests, 2)
  end)
end)

t.describe("batches", function()
  t.before_each(function() load "batch = 3" end)

  local function ask(...)
    local calls = {}
    for number, text in ipairs { ... } do
      calls[number] = function() return (table.pack(graphql.query(api, text))) end
    end
    return t.assert(rest.all(calls))
  end

  t.test("send queries of one tick together, with an error for one of them", function()
    local stub = host:stub("POST", url, function(request)
      local answers = {}
      for number, one in ipairs(rest.json.decode(request.body)) do
        answers[number] = { data = { text = one.query } }
        if one.query == "{ b }" then
          answers[number] = { errors = { { message = "no b", path = { "b" } } }, data = { c = 1 } }
        end
      end
      return { json = answers }
    end)
    local results = ask("{ a }", "{ b }", "{ d }")
    t.equal(#stub.requests, 1)
    t.equal(results[1][1], { text = "{ a }" })
    t.equal(results[2][1], nil)
    t.equal(results[2][2].path, { "b" })
    t.equal(results[2][3], { c = 1 })
    t.equal(results[3][1], { text = "{ d }" })
  end)

  t.test("are of one partition each", function()
    load("batch = true", [[
      api:configure("/graphql", { methods = "POST" }, function(c)
        c:mutate_requests(function(draft) draft.headers["X-User"] = draft.partition end)
      end)
    ]])
    local stub = host:stub("POST", url, function(request)
      local answers = {}
      for number in ipairs(rest.json.decode(request.body)) do
        answers[number] = { data = { user = request.headers["x-user"] } }
      end
      return { json = answers }
    end)
    local calls = {}
    for number, user in ipairs { "ada", "bob", "ada", "bob" } do
      local text = number <= 2 and "{ a }" or "{ b }"
      calls[number] = function() return graphql.query(api, text, nil, { partition = user }).user end
    end
    t.equal(t.assert(rest.all(calls)), { "ada", "bob", "ada", "bob", n = 4 })
    t.equal(#stub.requests, 2)
  end)

  t.test("have a longest length, and one query alone is no list", function()
    local lengths = {}
    host:stub("POST", url, function(request)
      local got = rest.json.decode(request.body)
      if got.query then
        lengths[#lengths + 1] = 0
        return { json = { data = { n = 0 } } }
      end
      lengths[#lengths + 1] = #got
      local answers = {}
      for number in ipairs(got) do answers[number] = { data = { n = number } } end
      return { json = answers }
    end)
    ask("{ a }", "{ b }", "{ c }", "{ d }")
    t.equal(lengths, { 3, 0 })
  end)

  t.test("that the API doesn't know are an error for each", function()
    host:stub("POST", url, { json = { data = { a = 1 } } })
    for _, result in ipairs(ask("{ a }", "{ b }")) do
      t.matches(tostring(result[2]), "a batch of 2 queries with 0 answers: does it know batches?")
    end
    host:stub("POST", url, { status = 500 })
    host:advance(2)
    for _, result in ipairs(ask("{ a }", "{ b }")) do t.equal(result[2].http_status_code, 500) end
  end)

  t.test("are sent again with a new token, once for all", function()
    load("batch = true", [[
      local token = "old"
      api:configure("/graphql", { methods = "POST" }, function(c)
        c:mutate_requests(function(draft) draft.headers["Authorization"] = token end)
        c:decorate_requests(rest.refresh_on(401, function()
          token = "new"
          return true
        end))
      end)
    ]])
    local stub = host:stub("POST", url, function(request)
      if request.headers.authorization ~= "new" then return { status = 401 } end
      return { json = { { data = { n = 1 } }, { data = { n = 2 } } } }
    end)
    local results = ask("{ a }", "{ b }")
    t.equal({ results[1][1].n, results[2][1].n }, { 1, 2 })
    t.equal(#stub.requests, 2)
  end)

  t.test("go with persisted documents", function()
    load "batch = true, persisted = true"
    local stub = host:stub("POST", url, function(request)
      local answers = {}
      for number, one in ipairs(rest.json.decode(request.body)) do
        answers[number] = one.query and { data = { text = one.query } } or {
          errors = { { message = "PersistedQueryNotFound" } },
        }
      end
      return { json = answers }
    end)
    local results = ask("{ a }", "{ b }")
    t.equal({ results[1][1].text, results[2][1].text }, { "{ a }", "{ b }" })
    t.equal(#stub.requests, 2)
  end)
end)

t.describe("a subscription", function()
  local text = "subscription S { tick }"
  local sse = { ["Content-Type"] = "text/event-stream" }

  t.test("calls the function for each event until it is complete", function()
    local stub = host:stub("POST", url, {
      headers = sse,
      body = ":\n\nevent: next\ndata: {\"data\":\ndata: {\"tick\":1}}\n\nevent: next\r\n"
        .. "data: {\"errors\":[{\"message\":\"late\",\"path\":[\"tick\"]}],\"data\":{\"tick\":2}}\r\n\r\n"
        .. "event: complete\ndata:\n\nevent: next\ndata: {\"data\":{\"tick\":3}}\n\n",
    })
    local got = {}
    t.equal(graphql.subscribe(api, text, { n = 1 }, function(data, err)
      got[#got + 1] = { data.tick, err and err.path }
    end), true)
    t.equal(got, { { 1 }, { 2, { "tick" } } })
    t.equal(stub.requests[1].headers.accept, "text/event-stream")
    t.equal(body(stub), { query = text, variables = { n = 1 } })
  end)

  t.test("tells of an event that is no answer of GraphQL", function()
    host:stub("POST", url, {
      headers = sse, body = "event: next\ndata: <html>\n\nevent: next\ndata: [1]\n\nevent: complete\n\n",
    })
    local got = {}
    t.equal(graphql.subscribe(api, text, {}, function(data, err)
      got[#got + 1] = { data, tostring(err):match "neither 'data' nor 'errors'" }
    end), true)
    t.equal(got, { { nil, "neither 'data' nor 'errors'" }, { nil, "neither 'data' nor 'errors'" } })
  end)

  t.test("ends when the function returns false", function()
    host:stub("POST", url, { headers = sse, body = ("event: next\ndata: {\"data\":{\"a\":1}}\n\n"):rep(3) })
    local count = 0
    t.equal(graphql.subscribe(api, text, {}, function()
      count = count + 1
      return false
    end), true)
    t.equal(count, 1)
  end)

  t.test("that breaks off, is refused, or is too long is an error", function()
    local function failure() return tostring(select(2, graphql.subscribe(api, text, {}, function() end))) end
    host:stub("POST", url, { headers = sse, body = "event: next\ndata: {\"data\":{\"a\":1}}\n\n" })
    t.matches(failure(), "ended before it was complete")
    host:stub("POST", url, { json = { errors = { { message = "no such field" } } } })
    t.matches(failure(), "no such field")
    host:stub("POST", url, { status = 401, json = { errors = { { message = "log in" } } } })
    t.matches(failure(), "log in")
    host:stub("POST", url, { headers = sse, body = "data: " .. ("x"):rep(1100000) })
    t.matches(failure(), "more than 1048576 bytes")
    t.raises(function() graphql.query(api, text) end, "use 'graphql.subscribe'")
  end)

  t.test("may be a resource that shows the latest data", function()
    host:stub("GET", url .. "*", { headers = sse, body = "event: next\ndata: {\"data\":{\"tick\":7}}\n\n" })
    local resource = graphql.subscription(api, text, { n = 1 })
    t.equal(t.assert(resource:get()), { tick = 7 })
    t.matches(resource.url, "query=subscription%%20S")
  end)
end)
