local t = require "resthost.test"

local host = t.host()
local rest = host.rest
local json = rest.json

t.describe("rest.json.pointer (RFC 6901)", function()
  t.test("the examples of the RFC", function()
    local value = json.decode [[{ "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4,
      "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8 }]]
    local rows = { { "/foo/0", "bar" }, { "/", 0 }, { "/a~1b", 1 }, { "/c%d", 2 }, { "/e^f", 3 }, { "/g|h", 4 },
      { "/i\\j", 5 }, { "/k\"l", 6 }, { "/ ", 7 }, { "/m~0n", 8 } }
    for _, row in ipairs(rows) do t.equal(json.pointer(value, row[1]), row[2]) end
    t.equal(json.pointer(value, ""), value)
  end)

  t.test("nil for what is missing, rest.null for null", function()
    local value = { list = { 1, 2 }, none = rest.null }
    for _, pointer in ipairs { "/x", "/list/2", "/list/-", "/list/01", "/list/x", "/none/x", "/list/0/x" } do
      t.equal(json.pointer(value, pointer), nil)
    end
    t.equal(json.pointer(value, "/none"), rest.null)
  end)

  t.test("a wrong pointer is an error", function()
    t.raises(function() json.pointer({}, "a") end, "doesn't begin with '/'")
    t.raises(function() json.pointer({}, "/a~") end, "write '~0' for '~'")
    t.raises(function() json.pointer({}, "/a~2") end, "write '~0' for '~'")
    t.raises(function() json.pointer({}, "/" .. ("a"):rep(65536)) end, "64 KiB")
    t.raises(function() json.pointer(print, "/a") end, "bad argument #1 'value'")
  end)
end)

t.describe("rest.json.patch (RFC 6902)", function()
  t.test("operations in order; the arguments stay", function()
    local value = { a = { 1, 2 }, b = { c = true } }
    local operations = {
      { op = "test", path = "/a/1", value = 2.0 }, { op = "add", path = "/a/-", value = rest.null },
      { op = "remove", path = "/a/0" }, { op = "replace", path = "/a/0", value = { 7 } },
      { op = "copy", from = "/b", path = "/d" }, { op = "move", from = "/b/c", path = "/e~1f" },
    }
    local result = t.assert(json.patch(value, operations))
    t.equal(result, { a = { { 7 }, rest.null }, b = json.object {}, d = { c = true }, ["e/f"] = true })
    t.equal(value, { a = { 1, 2 }, b = { c = true } })
    t.equal(#operations, 6)
    t.equal(json.patch(value, {}), value)
  end)

  t.test("the message names the operation, and nothing is applied", function()
    local value = { a = { 1 } }
    local first = { op = "add", path = "/b", value = 1 }
    local rows = {
      { { op = "remove", path = "/x" }, "operation 2 (remove): there is no value at '/x'" },
      { { op = "add", path = "/a/2", value = 1 }, "operation 2 (add): '2' is no index of the array of 1" },
      { { op = "add", path = "/x/y", value = 1 }, "operation 2 (add): there is no parent of '/x/y'" },
      { { op = "add", path = "/x" }, "operation 2 (add) has no 'value': use rest.null for null" },
      { { op = "test", path = "/a/0", value = 2 }, "operation 2 (test): the value at '/a/0' is 1 instead of 2" },
      { { op = "move", from = "/a", path = "/a/0" }, "operation 2 (move): a value can't move into itself" },
      { { op = "drop", path = "/a" }, "operation 2 has the unknown op 'drop'" },
      { { op = "remove", path = "a" }, "operation 2 (remove), path: the pointer 'a' doesn't begin with '/'" },
      { { op = "remove", path = "" }, "operation 2 (remove): the whole value can't be removed" },
      { { path = "/a" }, "operation 2 has no text 'op'" },
      { 5, "operation 2 isn't an object" },
    }
    for _, row in ipairs(rows) do
      local result, message = json.patch(value, { first, row[1] })
      t.equal(result, nil)
      t.matches(message, row[2])
      t.equal(value, { a = { 1 } })
    end
  end)

  t.test("copies that double a value again and again end", function()
    local value, operations = { a = ("x"):rep(100000) }, {}
    for i = 1, 40 do operations[i] = { op = "copy", from = "", path = "/b" .. i } end
    local result, message = json.patch(value, operations)
    t.equal(result, nil)
    t.matches(message, "the copies take more than 64 MiB")
    for i = 1, 40 do operations[i] = { op = "copy", from = "", path = ("/a"):rep(2 ^ math.min(i - 1, 10)) } end
    result, message = json.patch({ a = 1 }, operations)
    t.equal(result, nil)
    t.matches(message, "nested deeper than 512 levels")
  end)
end)

t.test("rest.json.merge: the examples of RFC 7396", function()
  local rows = {
    { [[{"a":"b"}]], [[{"a":"c"}]], [[{"a":"c"}]] }, { [[{"a":"b"}]], [[{"b":"c"}]], [[{"a":"b","b":"c"}]] },
    { [[{"a":"b"}]], [[{"a":null}]], [[{}]] }, { [[{"a":"b","b":"c"}]], [[{"a":null}]], [[{"b":"c"}]] },
    { [[{"a":["b"]}]], [[{"a":"c"}]], [[{"a":"c"}]] }, { [[{"a":"c"}]], [[{"a":["b"]}]], [[{"a":["b"]}]] },
    { [[{"a":{"b":"c"}}]], [[{"a":{"b":"d","c":null}}]], [[{"a":{"b":"d"}}]] },
    { [[{"a":[{"b":"c"}]}]], [[{"a":[1]}]], [[{"a":[1]}]] }, { [=[["a","b"]]=], [=[["c","d"]]=], [=[["c","d"]]=] },
    { [[{"a":"b"}]], [=[["c"]]=], [=[["c"]]=] }, { [[{"a":"foo"}]], "null", "null" },
    { [[{"a":"foo"}]], [["bar"]], [["bar"]] }, { [[{"e":null}]], [[{"a":1}]], [[{"a":1,"e":null}]] },
    { [=[[1,2]]=], [[{"a":"b","c":null}]], [[{"a":"b"}]] }, { "{}", [[{"a":{"bb":{"ccc":null}}}]], [[{"a":{"bb":{}}}]] },
  }
  for _, row in ipairs(rows) do
    local target, patch = json.decode(row[1]), json.decode(row[2])
    t.equal(json.merge(target, patch), json.decode(row[3]))
    t.equal(json.encode(target), json.encode(json.decode(row[1])))
    t.equal(json.encode(patch), json.encode(json.decode(row[2])))
  end
end)

t.describe("rest.json.path (RFC 9535)", function()
  local store = json.decode [[{ "book": [
    { "category": "reference", "author": "Nigel Rees", "price": 8.95 },
    { "category": "fiction", "author": "Herman Melville", "isbn": "0-553-21311-3", "price": 8.99 },
    { "category": "fiction", "author": "J. R. R. Tolkien", "isbn": "0-395-19395-8", "price": 22.99 } ],
    "bicycle": { "price": 399 } }]]

  t.test("values and their normalized paths", function()
    t.equal(json.path(store, "$.book[?@.price < 9].author"), { "Nigel Rees", "Herman Melville" })
    t.equal(json.paths(store, "$.book[?@.isbn].price"), { "$['book'][1]['price']", "$['book'][2]['price']" })
    t.equal(json.path(store, "$..price"), { 399, 8.95, 8.99, 22.99 })
    t.equal(json.path(store, "$.book[-1:]['author']"), { "J. R. R. Tolkien" })
    t.equal(json.path(store, "$.book[?match(@.author, '[A-Z].*Tol.*') && count(@.*) == 4].price"), { 22.99 })
    t.equal(json.paths({ ["it's"] = { ["\1"] = 1 } }, "$..*"), { "$['it\\'s']", "$['it\\'s']['\\u0001']" })
  end)

  t.test("nothing found is an empty array", function()
    t.equal(json.encode(json.path(store, "$.none")), "[]")
    t.equal(json.paths(store, "$.none"), {})
  end)

  t.test("a wrong path gives nil and a message with the place", function()
    local rows = {
      { "book", "at byte 1: a path begins with '$'" }, { "$.", "a name, '*' or '[' is missing" },
      { "$[?@.a == ]", "at byte 11" }, { "$[?length(@.*) > 1]", "may give many values" },
      { "$[?match(@.a, 'b') == true]", "gives true or false" }, { "$[?size(@)]", "there is no function 'size'" },
      { "$[01]", "begins with a zero" }, { "$.a b", "there is more behind the path" },
      { "$[" .. ("?@["):rep(70), "nested deeper than 64 levels" }, { "$" .. (".a"):rep(10000), "16 KiB" },
    }
    for _, row in ipairs(rows) do
      local values, message = json.path(store, row[1])
      t.equal(values, nil)
      t.matches(message, row[2])
    end
  end)

  t.test("limits of results and of work", function()
    local list = {}
    for i = 1, 3000 do list[i] = i end
    local values, message = json.path(list, "$[*]", { most = 10 })
    t.equal(values, nil)
    t.matches(message, "more than 10 values")
    t.equal(#json.path(list, "$[*]", { most = 3000 }), 3000)
    values, message = json.path(list, "$[?@ > 2999 && $[?@ == 1]]")
    t.equal(values, { 3000 })
    values, message = json.path({ ("a"):rep(60) .. "!" }, "$[?match(@, '(a+)+(a+)+(a+)+')]")
    if values == nil then t.matches(message, "too much work") else t.equal(values, {}) end
  end)
end)

t.test("a transformer on the loop uses them", function()
  local api = rest.service { name = "tools", base_url = "https://tools.test/" }
  api:configure_transformer("/a", function(content) return { names = json.path(content, "$.items[*].name") } end)
  host:stub("GET", "https://tools.test/a", { json = { items = { { name = "x" }, { name = "y" } } } })
  t.equal(t.assert(api:resource("/a"):get()), { names = { "x", "y" } })
end)
