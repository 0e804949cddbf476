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

t.describe("a query", function()
  t.test("gives data, and is asked once for equal variables", function()
    local stub = host:stub("POST", url, { json = { data = { user = { name = "Ada" } } } })
    local text = "query User($login: String!) { user(login: $login) { name } }"
    for _ = 1, 2 do
      t.equal(t.assert(graphql.query(api, text, { login = "ada", size = 2 })), { user = { name = "Ada" } })
    end
    t.equal(#stub.requests, 1)
    t.equal(body(stub), { query = text, variables = { login = "ada", size = 2 } })
    t.matches(stub.requests[1].headers.accept, "application/graphql%-response%+json")
    graphql.query(api, text, { login = "bob" })
    t.equal(#stub.requests, 2)
    graphql.query(api, text, { login = "bob" }, { fresh = true })
    t.equal(#stub.requests, 3)
    t.equal(graphql.resource(api, text, { login = "ada", size = 2 }).json.user.name, "Ada")
  end)

  t.test("without variables sends none", function()
    local stub = host:stub("POST", url, { json = { data = { a = 1 } } })
    t.assert(graphql.query(api, "{ a }"))
    t.equal(body(stub), { query = "{ a }" })
  end)

  t.test("of a document with several operations needs a name", function()
    local stub = host:stub("POST", url, { json = { data = { a = 1 } } })
    local text = "query A { a } query B { b } fragment F on X { c }"
    t.assert(graphql.query(api, text, nil, { operation = "B" }))
    t.equal(body(stub).operationName, "B")
    t.raises(
      function() graphql.query(api, text) end, "several operations, A, B: say which one as 'operation'"
    )
    t.raises(
      function() graphql.query(api, text, nil, { operation = "C" }) end, "no operation 'C': it has A, B"
    )
    t.raises(function() graphql.query(api, "fragment F on X { c }") end, "has no operation")
  end)

  t.test("of each partition is a resource of its own", function()
    local stub = host:stub("POST", url, { json = { data = { a = 1 } } })
    for _, name in ipairs { "ada", "bob", "ada" } do
      graphql.query(api, "{ a }", nil, { partition = name })
    end
    t.equal(#stub.requests, 2)
  end)

  t.test("is sent again by c.retry, a mutation is not", function()
    api:configure("**", { methods = "POST" }, function(c) c.retry = { attempts = 2, base = 0.1 } end)
    local stub = host:stub("POST", url, { status = 503 })
    rest.spawn(function() graphql.query(api, "{ a }") end)
    host:advance(5)
    t.equal(#stub.requests, 2)
    rest.spawn(function() graphql.query(api, "mutation { a }") end)
    host:advance(5)
    t.equal(#stub.requests, 3)
  end)
end)

t.describe("errors", function()
  local errors = {
    { message = "no such user", path = { "users", 1, "name" }, extensions = { code = "GONE" } },
  }

  t.test("with HTTP 200 are failures with a path and partial data", function()
    host:stub("POST", url, { json = { errors = errors, data = { users = { { name = "Ada" } } } } })
    local data, err, partial = graphql.query(api, "{ users { name } }")
    t.equal(data, nil)
    t.equal(err.path, { "users", 1, "name" })
    t.equal(err.cause.errors, errors)
    t.equal(err.cause.code, "GONE")
    t.matches(tostring(err), "GraphQL error: no such user")
    t.equal(partial, { users = { { name = "Ada" } } })
    t.equal(err.cause.type, "graphql")
  end)

  t.test("without data give no partial data", function()
    host:stub("POST", url, { json = { errors = { { message = "syntax" } }, data = rest.null } })
    local data, err, partial = graphql.query(api, "{ users }")
    t.equal({ data == nil, err.path == nil, partial == nil }, { true, true, true })
  end)

  t.test("with another status keep it", function()
    host:stub("POST", url, { status = 400, json = { errors = { { message = "unknown field" } } } })
    local _, err = graphql.query(api, "{ x }")
    t.equal(err.http_status_code, 400)
    t.matches(tostring(err), "unknown field")
    t.equal(#err.cause.errors, 1)
  end)

  t.test("of the network are errors without a path", function()
    host:stub("POST", url, { error = { type = "timeout" } })
    local _, err = graphql.query(api, "{ x }")
    t.equal(err.cause.type, "timeout")
    t.equal(err.path, nil)
  end)

  t.test("are not cached, and stale data may stand in", function()
    load("expiration_time = 10", [[
      api:configure("/graphql/*", function(c) c.stale_if_error = 60 end)
    ]])
    host:stub("POST", url, { json = { data = { n = 1 } } })
    t.equal(t.assert(graphql.query(api, "{ n }")), { n = 1 })
    host:advance(11)
    host:stub("POST", url, { json = { errors = { { message = "down" } } } })
    t.equal(t.assert(graphql.query(api, "{ n }")), { n = 1 })
    local _, err = graphql.query(api, "{ other }")
    t.matches(tostring(err), "down")
    host:stub("POST", url, { json = { data = { other = 2 } } })
    host:advance(2)
    t.equal(t.assert(graphql.query(api, "{ other }")), { other = 2 })
  end)

  t.test("in place of a GraphQL answer say what is missing", function()
    for _, answer in ipairs {
      { json = { message = "hello" } }, { text = "<html>" }, { json = { data = rest.null } }, {},
    } do
      host:stub("POST", url, answer)
      local _, err = graphql.query(api, "{ a }", nil, { fresh = true })
      t.matches(tostring(err), "neither 'data' nor 'errors'")
    end
  end)
end)

t.describe("a mutation", function()
  t.test("is sent each time", function()
    local stub = host:stub("POST", url, { json = { data = { add = true } } })
    for _ = 1, 2 do t.assert(graphql.query(api, "mutation Add($n: Int) { add(n: $n) }", { n = 1 })) end
    t.equal(#stub.requests, 2)
    t.raises(
      function() graphql.resource(api, "mutation { add }") end, "only a query is a resource, no mutation"
    )
  end)

  t.test("is found behind comments, strings and fragments", function()
    local operations = require("resthost.graphql_document").operations
    local function kinds(text)
      local list = {}
      for _, one in ipairs(operations(text)) do list[#list + 1] = one.kind .. " " .. (one.name or "-") end
      return list
    end
    t.equal(kinds "# query { x }\nmutation M { a(text: \"} query Q { b }\") }", { "mutation M" })
    t.equal(kinds [[query A($q: String = """ \""" mutation { """) @live { query mutation } {x}]], {
      "query A", "query -",
    })
    t.equal(kinds "fragment query on mutation { a } subscription S { query }", { "subscription S" })
    t.equal(kinds "", {})
    t.equal(kinds '"unfinished', {})
    math.randomseed(1)
    local parts = { "{", "}", "(", ")", '"', '"""', "\\", "#", "\n", "query ", "fragment ", "a " }
    for _ = 1, 1000 do
      local text = {}
      for place = 1, math.random(30) do text[place] = parts[math.random(#parts)] end
      t.equal(type(operations(table.concat(text))), "table")
    end
  end)
end)

t.describe("clients of the gateway", function()
  t.before_each(function()
    load(
      "operations = { user = 'query U($login: String) { user(login: $login) { name } }' }", "rest.gateway {}"
    )
  end)

  t.test("read named queries with variables", function()
    local stub = host:stub("POST", url, { json = { data = { user = { name = "Ada" } } } })
    local target = "/api/graphql/user?variables=%7B%22login%22%3A%22ada%22%7D"
    for _ = 1, 2 do
      local answer = host:request("GET", target)
      t.equal(answer.status, 200)
      t.equal(answer.json, { user = { name = "Ada" } })
    end
    t.equal(#stub.requests, 1)
    t.equal(body(stub).variables, { login = "ada" })
  end)

  t.test("can't send documents of their own, or broken variables", function()
    t.equal(host:request("GET", "/api/graphql/secret").status, 404)
    t.equal(host:request("GET", "/api/graphql?query=subscription%20%7B%20secret%20%7D").status, 404)
    t.equal(
      host:request("GET", "/api/graphql?query=%7Bsecret%7D&operationName=a&operationName=b").status, 404
    )
    t.equal(host:request("GET", "/api/graphql").status, 404)
    for _, variables in ipairs { "x", "1", "%5B1%5D", "%7B%7D&variables=%7B%7D" } do
      t.equal(host:request("GET", "/api/graphql/user?variables=" .. variables).status, 400, variables)
    end
  end)
end)

t.describe("mistakes", function()
  t.test("are errors at the line of the script", function()
    t.raises(function() load "operations = { a = 'mutation { b }' }" end, "the operation 'a' is no query")
    t.raises(function() load "operations = { '{ a }' }" end, "has documents by name")
    t.raises(function() load "pth = '/x'" end, "did you mean 'path'")
    load()
    local other = rest.service { name = "other", base_url = "https://other.test" }
    t.raises(
      function() graphql.query(other, "{ a }") end,
      "call service:use%('graphql', { … }%) first for the service 'other'"
    )
  end)
end)
