local t = require "resthost.test"
local rest = require "resthost"
local import = require "resthost.import_curl"
local imported = require "imported"

local host, result

local function run(text, options)
  result = assert(import.run(text, { output = "mine" }))
  host = t.host()
  return imported.api(result, host, options)
end

-- The only function of the script.
local function only_definition(text, options)
  local api = run(text, options)
  for name, value in pairs(api) do
    if name ~= "service" and name ~= "expose" then return value, name end
  end
end

-- The request that a command line's definition sends.
local function sent(text, options)
  local definition = only_definition(text, options)
  local stub = host:stub("*", "https://**", {})
  t.assert(definition:send():await())
  return stub.requests[1]
end

t.describe("a line of curl becomes a definition", function()
  t.test("with method, path and query", function()
    local line = "curl -X DELETE 'https://a.test/v1/users/7?force=1&why=a%20b+c&flag'"
    local definition, name = only_definition(line)
    t.equal(name, "delete_v1_users_7")
    t.equal(definition.method, "DELETE")
    t.equal(definition.url, "https://a.test/v1/users/7?force=1&why=a%20b%20c&flag")
  end)

  t.test("with JSON, over several lines and with quotes of each kind", function()
    local request = sent([[curl https://a.test/users \
      -H "Content-Type: application/json" \
      --data-raw $'{"name":"Ada\'s \u00e9","tags":["a","b"],"none":null}' --compressed]])
    t.equal(request.method, "POST")
    t.equal(rest.json.decode(request.body), { name = "Ada's é", tags = { "a", "b" }, none = rest.null })
    t.equal(request.headers["content-type"], "application/json")
    t.equal(sent([[curl "https://a.test/\"x\"" -d 'a=1']]).url, "https://a.test/%22x%22")
  end)

  t.test("with --json", function()
    local request = sent [[curl --json '[1,{}]' https://a.test/x]]
    t.equal(request.body, "[1,{}]")
    t.equal(request.headers["content-type"], "application/json")
  end)

  t.test("with a form, whose parts are joined and encoded", function()
    local request = sent [[curl -d a=1 --data-urlencode 'b=x y&z' --data-urlencode =c -d d https://a.test/x]]
    t.equal(request.body, "a=1&b=x%20y%26z&c=&d=")
    t.equal(request.headers["content-type"], "application/x-www-form-urlencoded")
  end)

  t.test("with a body that is no form under a form's type, unchanged", function()
    local request = sent [[curl -d '{"a": 1}' https://a.test/x]]
    t.equal(request.body, '{"a": 1}')
    t.equal(request.headers["content-type"], "application/x-www-form-urlencoded")
  end)

  t.test("with -G, which makes a query of data", function()
    local request = sent [[curl -G -d q=1 --data-urlencode 'r=a b' 'https://a.test/x?p=0']]
    t.equal(request.method, "GET")
    t.equal(request.url, "https://a.test/x?p=0&q=1&r=a%20b")
  end)

  t.test("with parts and files", function()
    run [[curl -F 'photo=@lake.jpg;type=image/jpeg;filename=x.jpg' -F title=Lake https://a.test/up]]
    local script = imported.file(result, "_generated.lua").text
    t.matches(script, 'file = "lake.jpg", filename = "x.jpg", name = "photo"')
    t.matches(script, '{ name = "title", value = "Lake" }')
    run [[curl -T data.bin https://a.test/x]]
    t.matches(imported.file(result, "_generated.lua").text, 'define("PUT", "x", {')
    run [[curl --data-binary @body.json -H 'Content-Type: application/json' https://a.test/x]]
    t.matches(imported.file(result, "_generated.lua").text,
      'file = "body.json", content_type = "application/json"')
  end)

  t.test("with letters together and values behind them", function()
    local request = sent [[curl -sSLXPUT -H'X-A: 1' -da=1 https://a.test/x]]
    t.equal(request.method, "PUT")
    t.equal(request.headers["x-a"], "1")
    t.equal(result.warnings, {})
  end)

  t.test("with variables of the shell as names and options", function()
    local line = [[curl "https://a.test/users/$USER_ID/${KIND}?q=$QUERY" -H "X-Trace: t-$TRACE" ]]
      .. [[-H "Authorization: Bearer $TOKEN" --json "{\"id\": \"$ID\", \"text\": \"{{name}}\"}"]]
    local maker, name = only_definition(line, { query = "ink", trace = "7", id = "9", token = "tok-123" })
    t.equal(name, "post_users_by_user_id_by_kind")
    local stub = host:stub("*", "https://**", {})
    t.assert(maker("ada", "book"):send():await())
    local request = stub.requests[1]
    t.equal(request.url, "https://a.test/users/ada/book?q=ink")
    t.equal(request.headers["x-trace"], "t-7")
    t.equal(request.headers.authorization, "Bearer tok-123")
    t.equal(rest.json.decode(request.body), { id = "9", text = "{{name}}" })
    t.equal(sent([[curl -d 'price=$5' https://a.test/x]]).body, "price=%245")
    t.equal(only_definition("curl $BASE/x").url, "http://localhost:8080/x")
    t.equal(result.warnings, { "the server of 'http://{BASE}/x' is a variable: set the URL with --base-url" })
  end)

  t.test("with a slash inside a segment", function()
    t.equal(only_definition("curl https://a.test/a%2Fb/c").url, "https://a.test/a%2Fb/c")
    t.equal(only_definition("curl https://a.test/a/../b/./c/").url, "https://a.test/b/c/")
  end)
end)

t.describe("secrets of a line of curl are options", function()
  local lines = [[
    curl -H "Authorization: Bearer tok-123456" https://a.test/a
    curl -u ada:wonderland https://b.test/b
    curl -b 'sid=cookie-123' -H 'X-Api-Key: key-123456' 'https://a.test/c?access_token=query-123'
    curl -d 'user=ada&password=form-123' https://a.test/login
    curl --json '{"user":{"client_secret":"json-123"}}' https://a.test/login2
    curl 'https://d.test/x?key=long-key-1234567890123&page=1'
    curl https://me:url-123456@c.test/]]

  t.test("which no file has", function()
    run(lines)
    for _, file in ipairs(result.files) do
      for _, secret in ipairs {
        "tok-123456", "wonderland", "cookie-123", "key-123456", "query-123", "form-123", "json-123",
        "url-123456", "long-key-1",
      } do
        t.assert(not file.text:find(secret, 1, true), file.path .. " has " .. secret)
      end
    end
    t.matches(imported.file(result, "mine.lua").text, "token = rest.env.MINE_TOKEN")
    t.matches(imported.file(result, "resthost.toml").text, '"MINE_PASSWORD"')
  end)

  t.test("and are sent to their own server only", function()
    local api = run(lines, {
      token = "tok-9", username_2 = "ada", password_2 = "pw-99", cookie = "sid=1", password = "pw",
    })
    local stub = host:stub("*", "https://**", {})
    t.assert(api.get_a:send():await())
    t.equal(stub.requests[1].headers.authorization, "Bearer tok-9")
    t.assert(api.get_b:send():await())
    t.equal(stub.requests[2].headers.authorization, "Basic " .. rest.base64.encode "ada:pw-99")
    t.equal(stub.requests[2].headers.cookie, nil)
    t.assert(api.post_login:send():await())
    t.equal(stub.requests[3].body, "user=ada&password=pw")
  end)
end)

t.describe("what a line of curl says beyond that", function()
  t.test("is a warning", function()
    run "curl -k --retry 3 --frobnicate https://a.test/x\nwget https://a.test/y"
    t.equal(result.warnings, {
      "the option 'insecure' of curl is left out: trust the server's certificate with `transport.ca_file`",
      "the option 'retry' of curl is left out: set `c.retry`",
      "the option 'frobnicate' of curl is left out",
      "the command 'wget' is left out: it is not curl",
    })
  end)

  t.test("is a warning for data that only curl can read", function()
    run [[
      curl -d @a.txt -d b=c https://a.test/x
      curl --data-urlencode name@a.txt -d '' https://a.test/y
      curl --data-binary @- https://a.test/z?key=short]]
    t.equal(result.warnings, {
      "the file 'a.txt' is left out: a body has either a file or data",
      "the option 'data-urlencode name@a.txt' of curl is left out: put the data into a block",
      "the option 'data-binary @-' of curl is left out: put the data into a block",
    })
    local text = imported.file(result, "_generated.lua").text
    t.matches(text, 'form = { { "b", "c" } }')
    t.matches(text, '{ "key", "short" }')
  end)

  t.test("is an error if there is no request", function()
    local function message_of(text) return select(2, import.run(text, { output = "mine" })) end
    t.equal(message_of "ls",
      "the text has no command line of curl with a URL: the command 'ls' is left out: it is not curl")
    for _, text in ipairs { "curl 'https://a.test", 'curl "x\\', "curl $'x\\", "curl $'" } do
      t.equal(message_of(text), "a quotation mark has no other half")
    end
    t.matches(message_of "$", "the text has no command line of curl with a URL")
    t.equal(message_of "curl -s",
      "the text has no command line of curl with a URL: a command line of curl with 0 URLs is left out")
    t.matches(message_of(("x"):rep(2000000)), "longer than")
  end)

  t.test("stays within the script", function()
    local definition = only_definition [=[curl "https://a.test/a]]--b" -H 'X-A: "]] .. os.exit()']=]
    t.equal(definition.headers["X-A"], '"]] .. os.exit()')
  end)
end)
