local t = require "resthost.test"
local rest = require "resthost"
local import = require "resthost.import_openapi"
local imported = require "imported"

local function import_library(options)
  local given = { output = "library", swift = true }
  for name, value in pairs(options or {}) do given[name] = value end
  return assert(import.run(imported.document "library.json", given))
end

local with_operation = imported.with_operation

local function run(document) return import.run(document, { output = "t" }) end

-- The URL that a definition asks for, behind the server's.
local function target(definition) return (definition.url:gsub("^https://eu%.library%.example/v2/", "")) end

t.describe("an OpenAPI document becomes", function()
  local host, api, result

  t.before_each(function()
    host = t.host()
    result = import_library()
    api = imported.api(result, host, { key = "for-trying" })
  end)

  t.test("files, of which the user's own are written once", function()
    local once = {}
    for _, file in ipairs(result.files) do once[file.path] = file.once end
    t.equal(once, {
      ["library_generated.lua"] = false, ["library_types.lua"] = false,
      ["library_generated_test.lua"] = false,
      ["library.lua"] = true, ["resthost.toml"] = true, ["library.generated.swift"] = false,
    })
    t.matches(imported.file(result, "library.lua").text, "key = rest.env.LIBRARY_KEY,")
    t.equal(result.variables, { "LIBRARY_KEY" })
    t.equal(imported.file(result, "resthost.toml").text, '[permissions]\nenv = ["LIBRARY_KEY"]\n')
  end)

  t.test("definitions with the names of its operations, which are no keywords", function()
    t.equal(target(api.get_book(7)), "books/7")
    t.equal(api.get_book(7).method, "GET")
    t.equal(api.end_(1, "png").headers["Content-Type"], "image/png")
    t.equal(target(api.get_search_kind_exact()), "search?kind=exact")
  end)

  t.test("queries in each style", function()
    t.equal(target(api.list_books { page = 2, tag = { "a", "b" } }), "books?page=2&tag=a&tag=b")
    t.equal(target(api.list_books { ids = { 1, 2 } }), "books?ids=1,2")
    t.equal(target(api.list_books { near = { "a", "b" } }), "books?near=a%7Cb")
    t.equal(target(api.list_books { far = { "a", "b" } }), "books?far=a%20b")
    t.equal(target(api.list_books { filter = { author = "Ada", years = { 1, 2 } } }),
      "books?filter%5Bauthor%5D=Ada&filter%5Byears%5D%5B%5D=1&filter%5Byears%5D%5B%5D=2")
    t.equal(target(api.list_books { range = { from = 1, to = 9 } }), "books?from=1&to=9")
    t.equal(target(api.list_books { sort = { by = "title" } }), "books?sort=%7B%22by%22:%22title%22%7D")
    t.equal(target(api.list_books()), "books")
  end)

  t.test("headers and cookies", function()
    local definition = api.list_books {
      ["X-Tenant"] = "north", ["X-Fields"] = { "id", "title" }, page_header = true, shelf = "a1",
    }
    t.equal(definition.headers["X-Tenant"], "north")
    t.equal(definition.headers["X-Fields"], "id,title")
    t.equal(definition.headers["page"], "true")
    t.equal(definition.headers["Cookie"], "shelf=a1")
  end)

  t.test("paths in each style", function()
    t.equal(target(api.find_shelves({ "a", "b" }, { 3, 4 }, { x = 1 }, { limit = 5 })),
      "shelves/.a.b/;keys=3,4/x,1?limit=5")
  end)

  t.test("an error for a parameter that there isn't", function()
    t.raises(function() return api.list_books { pages = 1 } end, "unknown parameter 'pages'")
    t.raises(function() return imported.api(result, host, { kye = "x" }) end, "unknown option 'kye'")
    t.raises(function() return imported.api(result, host, { region = "mars" }) end,
      "'mars' is none of eu, us")
  end)

  t.test("bodies of each kind", function()
    local books = host:stub("POST", "https://eu.library.example/v2/books", {
      status = 201, json = { id = 1 },
    })
    t.assert(api.add_book({ title = "Tides" }):send():await())
    t.equal(books.requests[1].body, '{"title":"Tides"}')
    t.equal(books.requests[1].headers["x-key"], "for-trying")

    local change = host:stub("PATCH", "https://eu.library.example/v2/books/7", { status = 204 })
    t.assert(api.change_book(7, { title = "Peaks" }):send():await())
    t.equal(change.requests[1].headers["content-type"], "application/merge-patch+json")

    local cover = host:stub("PUT", "https://eu.library.example/v2/books/7/cover", { status = 204 })
    t.assert(api.end_(7, "\1\2"):send():await())
    t.equal(cover.requests[1].body, "\1\2")
    t.equal(cover.requests[1].headers["content-type"], "image/png")

    local login = host:stub("POST", "https://eu.library.example/v2/login", { json = { token = "abc" } })
    t.assert(api.log_in({ user = "ada", scopes = { "read", "write" } }):send():await())
    t.equal(login.requests[1].body, "scopes=read&scopes=write&user=ada")

    local files = host:stub("POST", "https://files.library.example/uploads", { status = 204 })
    t.assert(api.post_uploads({ title = "Lake" }):send():await())
    t.matches(files.requests[1].body, 'name="title"')
  end)

  t.test("a service for each server, with variables as options", function()
    local us = imported.api(result, t.host(), { region = "us" })
    t.equal(us.get_book(1).url, "https://us.library.example/v2/books/1")
    local staging = imported.api(result, t.host(), { base_url = "https://staging.test", name = "other" })
    t.equal(staging.get_book(1).url, "https://staging.test/books/1")
    t.equal(staging.service.name, "other")
    t.equal(api.expose.library.methods, { "GET", "HEAD", "POST", "PATCH", "PUT" })
    t.equal(api.expose.library_files.methods, { "POST" })
  end)

  t.test("a service with the name and the URL of the options", function()
    local other = import_library { service = "shelf", base_url = "https://mine.test/api" }
    local changed = imported.api(other, t.host())
    t.equal(changed.service.name, "shelf")
    t.equal(changed.get_book(1).url, "https://mine.test/api/books/1")
    local script = imported.file(other, "_generated.lua").text
    t.assert(not script:find("region", 1, true), "the variables are left out")
    t.equal(imported.file(import_library { output = "api/books" }, "resthost.toml").path, "api/resthost.toml")
    t.matches(imported.file(import_library { output = "my-api" }, "my-api.lua").text,
      'local my_api = require("my-api_generated").new {')
    t.matches(imported.file(import_library { output = "rest" }, "rest.lua").text, "local rest_api = require")
  end)

  t.test("servers of operations with variables of their own", function()
    local function server(host, default)
      return { { url = "https://" .. host .. ".{site}", variables = { site = { default = default } } } }
    end
    local document = with_operation({}, { servers = server("a", "one.test") })
    document.paths["/same"] = { get = { servers = server("b", "one.test") } }
    document.paths["/other"] = { get = { servers = server("c", "two.test") } }
    local script = assert(run(document))
    local plain = imported.api(script, t.host())
    local moved = imported.api(script, t.host(), { site = "three.test" })
    t.equal(plain.get_same().url, "https://b.one.test/same")
    t.equal(moved.get_x().url, "https://a.three.test/x")
    t.equal(moved.get_same().url, "https://b.three.test/same")
    t.equal(moved.get_other().url, "https://c.two.test/other")
  end)

  t.test("bodies that are empty lists, and answers that are single values", function()
    local function json(schema) return { content = { ["application/json"] = { schema = schema } } } end
    local document = with_operation { responses = { ["200"] = json { type = "integer" } } }
    document.paths["/x"].put = { requestBody = json { type = "array", items = {} } }
    document.paths["/x"].post = { requestBody = json { type = "string" } }
    local values = imported.api(assert(run(document)), host)
    host:stub("GET", "https://t.test/x", { headers = { ["Content-Type"] = "application/json" }, body = "42" })
    t.equal(values.get_x():get(), 42)
    local stub = host:stub("*", "https://t.test/x", {})
    t.assert(values.put_x({}):send():await())
    t.assert(values.post_x("text"):send():await())
    t.equal(stub.requests[1].body, "[]")
    t.equal(stub.requests[2].body, '"text"')
    t.equal(stub.requests[2].headers["content-type"], "application/json")
  end)

  t.test("long lists of names, with blanks in them", function()
    local document, zones = with_operation {}, {}
    for number = 1, 20 do zones[number] = number == 1 and "eu" or "zone  number " .. number end
    document.servers = {
      { url = "https://{zone}.t.test", variables = { zone = { default = zones[1], enum = zones } } },
    }
    local text = imported.file(assert(run(document)), "_generated.lua").text
    t.assert(text:find('"zone  number 20",\n', 1, true), "the last name is missing")
    t.assert(load(text))
  end)

  t.test("values that may be null, too", function()
    local function content(kind, schema) return { content = { [kind] = { schema = schema } } } end
    local document = with_operation {
      responses = { ["200"] = content("application/json", { type = { "integer", "null" } }) },
    }
    document.paths["/x"].put = { requestBody = content("application/json", { type = { "array", "null" } }) }
    document.paths["/x"].post = { requestBody = content("application/x-www-form-urlencoded", {
      type = "object", properties = { tags = { type = { "null", "array" } } },
    }) }
    local values = imported.api(assert(run(document)), host)
    host:stub("GET", "https://t.test/x", { headers = { ["Content-Type"] = "application/json" }, body = "42" })
    t.equal(values.get_x():get(), 42)
    local stub = host:stub("*", "https://t.test/x", {})
    t.assert(values.put_x({}):send():await())
    t.assert(values.post_x({ tags = { "a", "b" } }):send():await())
    t.equal(stub.requests[1].body, "[]")
    t.equal(stub.requests[2].body, "tags=a&tags=b")
  end)

  t.test("types for an editor", function()
    local types = imported.file(result, "_types.lua").text
    for _, line in ipairs {
      "---@class library.Book : library.NewBook",
      "---@field sequel? library.Book",
      "---@field labels? table<string, string>",
      '---@alias library.Kind "novel"|"atlas"',
      "---@alias library.Owner library.Reader|library.Branch",
      "---@field author? string|lightuserdata",
      '---@field ["shelf-mark"]? string',
      "---@field parts? (string|library.Branch)[]",
      "---@field title string Its title, in full.",
      "function api.get_book(book_id) end",
      "---@deprecated",
    } do
      t.assert(types:find("\n" .. line .. "\n", 1, true), "no line " .. line)
    end
    t.assert(not types:find("<b>", 1, true), "HTML stays in a comment")
    t.assert(load(types), "the types are no Lua")
  end)

  t.test("calls and models in Swift", function()
    local swift = imported.file(result, ".swift").text
    for _, line in ipairs {
      "    func getBook(_ bookId: Int) -> Call<Book> {",
      "        var sequel: Indirect<Book>?",
      '            case shelfMark = "shelf-mark"',
      '        static let novel: Kind = "novel"',
      "            Body(multipart: body)",
      "        var friends: [Reader]?",
    } do
      t.assert(swift:find(line, 1, true), "no line " .. line)
    end
  end)

  t.test("the same files again", function()
    local again = import_library()
    for index, file in ipairs(result.files) do t.equal(again.files[index].text, file.text) end
  end)
end)

t.describe("Swagger 2", function()
  t.test("is converted", function()
    local result = assert(import.run(imported.document "garden_swagger.json", { output = "garden" }))
    local host = t.host()
    local api = imported.api(result, host, { basic_username = "ada", basic_password = "garden gate" })
    t.equal(api.beds_get(3, { plants = { "rose", "ivy" } }).url,
      "https://garden.example/api/beds/3/?plants=rose,ivy")
    local beds = host:stub("PUT", "https://garden.example/api/beds/3/", { status = 204 })
    t.assert(api.beds_put(3, { name = "north" }):send():await())
    t.equal(beds.requests[1].body, '{"name":"north"}')
    t.equal(beds.requests[1].headers.authorization, "Basic " .. rest.base64.encode "ada:garden gate")
    local script = imported.file(result, "_generated.lua").text
    t.matches(script, 'token_url = "https://garden.example/token"')
    t.matches(imported.file(result, "_types.lua").text, "---@field inner? garden.Bed")
  end)
end)

-- The test that comes with a script runs here, too.
for name, document in pairs { library = "library.json", garden = "garden_swagger.json" } do
  local result = assert(import.run(imported.document(document), { output = name }))
  package.preload[name .. "_generated"] = function()
    return assert(load(imported.file(result, "_generated.lua").text))()
  end
  t.describe("the test of " .. name, assert(load(imported.file(result, "_generated_test.lua").text)))
end
