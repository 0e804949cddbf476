local t = require "resthost.test"
local import = require "resthost.import_postman"
local imported = require "imported"

local function run(items, more)
  local collection = { info = { name = "C" }, item = items }
  for key, value in pairs(more or {}) do collection[key] = value end
  return import.run(collection, { output = "shop" })
end

t.describe("a collection becomes", function()
  local host, result, api

  t.before_each(function()
    result = assert(import.run(imported.document "shop_postman.json", { output = "shop" }))
    host = t.host()
    api = imported.api(result, host, { token = "tok-123456", trace = "t1", secret = "s-123456" })
  end)

  t.test("definitions with the names of its requests, and of folders where they are the same", function()
    t.equal(api.list.url, "https://shop.example/v1/orders?limit=20")
    t.equal(api.users_list.url, "https://other.example/users")
  end)

  t.test("templates for variables of paths", function()
    t.equal(api.get_one(7).url, "https://shop.example/v1/orders/7")
    t.equal(api.add("north").url, "https://shop.example/v1/orders/north")
  end)

  t.test("options for variables without a value, and for secrets", function()
    local stub = host:stub("POST", "https://shop.example/v1/orders/*", { json = {} })
    t.assert(api.add("north"):send():await())
    local request = stub.requests[1]
    t.equal(request.headers["x-trace"], "t1")
    t.equal(request.body, '{"item":"ink","secret":"s-123456"}')
    t.equal(request.headers.authorization, "Bearer tok-123456")
    for _, file in ipairs(result.files) do t.assert(not file.text:find('"abc"', 1, true)) end
  end)

  t.test("forms and parts", function()
    t.equal(api.login.body_kind, "form")
    t.matches(imported.file(result, "_generated.lua").text, '{ file = "a.txt", name = "f" }')
    t.equal(result.warnings, {
      "the server of '{nowhere}/login' is a variable: set the URL with --base-url",
    })
  end)
end)

t.test("auth of each kind is a plugin", function()
  local function request(kind, attributes)
    return { name = kind, request = { method = "GET", url = "https://a.test/" .. kind,
      auth = { type = kind, [kind] = attributes } } }
  end
  local result = assert(run {
    request("basic", { { key = "username", value = "u" }, { key = "password", value = "secret-9" } }),
    request("apikey", { { key = "key", value = "X-Mine" }, { key = "value", value = "secret-9" } }),
    request("ntlm", {}),
  })
  local script = imported.file(result, "_generated.lua").text
  t.matches(script, 'service:use("basic", { username = options.username, password = options.password })')
  t.matches(script, 'service:use("api_key", { header = "X-Mine", value = options.x_mine })')
  t.assert(not script:find("secret-9", 1, true))
  t.equal(result.warnings, { "the authorization 'ntlm' has no plugin here: add it in a block" })
end)

t.test("variables that name each other end", function()
  local result = assert(run({ { name = "x", request = "{{a}}/x" } },
    { variable = { { key = "a", value = "{{b}}" }, { key = "b", value = "{{a}}" } } }))
  t.matches(result.warnings[1], "is a variable")
end)

t.test("folders that nest without end, end", function()
  local items = { { name = "x", request = "https://a.test/x" } }
  for _ = 1, 100 do items = { { name = "f", item = items } } end
  local _, message = run(items)
  t.equal(message, "no request could be imported: folders inside each other are left out beyond 30 levels")
end)

t.test("a file that is no collection is an error", function()
  for _, input in ipairs { "text", {}, { item = "x" } } do
    t.matches(select(2, import.run(input, { output = "shop" })), "it is no collection of Postman")
  end
  t.equal(select(2, run {}), "no request could be imported")
end)

t.test("variables that name each other a thousandfold add a bounded text", function()
  local value = ("{{b}}"):rep(1000)
  local result = assert(run({ { name = "x", request = { url = "https://a.test/x", method = "POST",
    header = { { key = "X-A", value = "{{ a }}" } } } } },
    { variable = { { key = "a", value = value }, { key = "b", value = value .. ("b"):rep(60000) } } }))
  t.assert(#result.files[1].text < 200000)
end)

t.test("a URL that is very long is left out, and so is one of another kind", function()
  local message = select(2, run { { name = "x", request = "https://a.test/" .. ("{{x}}"):rep(40000) } })
  t.matches(message, "its URL is longer than 65536 bytes")
  message = select(2, run { { name = "x", request = "ftp://a.test/x" } })
  t.matches(message, "'GET ftp://a.test/x' is left out: its URL doesn't begin with http:// or https://")
end)

t.test("a body with very many variables becomes a script", function()
  local body = { mode = "raw", raw = ("<{{x}}>"):rep(1000), options = { raw = { language = "xml" } } }
  local request = { method = "POST", url = "https://a.test/x", body = body }
  local host = t.host()
  local api = imported.api(assert(run { { name = "x", request = request } }), host, { x = "b" })
  local stub = host:stub("POST", "https://a.test/x", {})
  t.assert(api.x:send():await())
  t.equal(stub.requests[1].body, ("<b>"):rep(1000))
end)
