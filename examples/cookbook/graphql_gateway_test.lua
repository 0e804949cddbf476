local t = require "resthost.test"

local url = "https://countries.trevorblades.com/graphql"
local known = { IS = { name = "Iceland", currency = "ISK" }, NO = { name = "Norway", currency = "NOK" } }
local host, stub

-- Answers one query or a list of them.
local function api(request)
  local rest = host.rest
  local function answer(one)
    return { data = { country = known[one.variables.code] or rest.null } }
  end
  local body = rest.json.decode(request.body)
  if body.query then return { json = answer(body) } end
  local answers = {}
  for number, one in ipairs(body) do answers[number] = answer(one) end
  return { json = answers }
end

t.before_each(function()
  host = t.load "graphql_gateway.lua"
  stub = host:stub("POST", url, api)
end)

local target = "/countries/graphql/country?variables=%7B%22code%22%3A%22IS%22%7D"

t.test("a query is a resource for an hour", function()
  for _ = 1, 2 do t.equal(host:request("GET", target).json, { country = known.IS }) end
  t.equal(#stub.requests, 1)
  host:advance(3601)
  host:request("GET", target)
  t.equal(#stub.requests, 2)
end)

t.test("old data stands in for a failure, with HTTP 200 too", function()
  host:request("GET", target)
  host:advance(7200)
  host:stub("POST", url, { json = { errors = { { message = "overloaded" } } } })
  t.equal(host:request("GET", target).json, { country = known.IS })
end)

t.test("a pair is one request", function()
  t.equal(host:request("GET", "/pair/is/no").json, { names = { "Iceland", "Norway" }, same_currency = false })
  t.equal(#stub.requests, 1)
  t.equal(host:request("GET", "/pair/is/xx").status, 404)
end)

t.test("other queries are for nobody", function()
  t.equal(host:request("GET", "/countries/graphql/users").status, 404)
  t.equal(host:request("POST", "/countries/graphql", {
    json = { query = "{ countries { name } }" },
  }).status, 405)
end)
