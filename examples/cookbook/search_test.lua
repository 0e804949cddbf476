local t = require "resthost.test"

local url = "http://127.0.0.1:9200/articles/_search"
local host

t.before_each(function() host = t.load "search.lua" end)

local function hits(first, last)
  local list = host.rest.json.array {}
  for id = first, last do
    list[#list + 1] = { _id = tostring(id), _source = { title = "Lake " .. id }, sort = { 1.5, id } }
  end
  return { json = { hits = { total = { value = 25 }, hits = list } } }
end

t.test("equal searches share an answer", function()
  local stub = host:stub("POST", url, hits(1, 2))
  for _ = 1, 3 do
    t.equal(host:request("GET", "/api/search?q=lake").json, {
      total = 25, results = { { id = "1", title = "Lake 1" }, { id = "2", title = "Lake 2" } },
    })
  end
  t.equal(#stub.requests, 1)
  t.equal(host.rest.json.decode(stub.requests[1].body).query.simple_query_string.query, "lake")
end)

t.test("a full page has a mark, behind which the next one begins", function()
  local stub = host:stub("POST", url, hits(1, 20))
  local mark = host:request("GET", "/api/search?q=lake").json.after
  host:stub("POST", url, hits(21, 25))
  local answer = host:request("GET", "/api/search?q=lake&after=" .. mark)
  t.equal(#answer.json.results, 5)
  t.equal(answer.json.after, nil)
  t.equal(#stub.requests, 1)
end)

t.test("the mark reaches the engine, and a broken one is ignored", function()
  local stub = host:stub("POST", url, hits(1, 1))
  host:request("GET", "/api/search?q=lake&after=" .. host.rest.base64.encode "[1.5,20]")
  t.equal(host.rest.json.decode(stub.requests[1].body).search_after, { 1.5, 20 })
  host:request("GET", "/api/search?q=lake&after=***")
  t.equal(host.rest.json.decode(stub.requests[2].body).search_after, nil)
end)

t.test("a search without a text, or with a long one, is refused", function()
  t.equal(host:request("GET", "/api/search").status, 400)
  t.equal(host:request("GET", "/api/search?q=" .. ("x"):rep(300)).status, 400)
end)

t.test("the engine itself is for nobody", function()
  t.equal(host:request("GET", "/engine/articles/_search").status, 404)
end)
