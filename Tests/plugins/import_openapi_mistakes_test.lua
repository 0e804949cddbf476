local t = require "resthost.test"
local import = require "resthost.import_openapi"
local imported = require "imported"

local with_operation = imported.with_operation

local function run(document) return import.run(document, { output = "t" }) end

t.describe("a document that is wrong", function()
  t.test("gives a message", function()
    local function message_of(document) return select(2, run(document)) end
    t.equal(message_of "text", "the document is no object")
    t.equal(message_of { paths = {} },
      "the document has neither 'openapi' nor 'swagger': it is no OpenAPI document")
    t.matches(message_of { openapi = "4.0" }, "OpenAPI 4.0 is not supported")
    t.matches(message_of { swagger = "1.2" }, "Swagger 1.2 is not supported")
    t.equal(message_of { openapi = "3.0.0" }, "the document has no operations in 'paths'")
  end)

  t.test("names a reference that leads nowhere", function()
    local parameter = { ["$ref"] = "#/components/parameters/No~1thing" }
    local _, message = run(with_operation { parameters = { parameter } })
    t.equal(message, "the reference '#/components/parameters/No~1thing' leads nowhere")
  end)

  t.test("finds references with escapes", function()
    local parameter = { name = "q", ["in"] = "query", schema = { type = "string" } }
    local result = assert(run(with_operation({
      parameters = { { ["$ref"] = "#/components/parameters/a~1b%20~0c" } },
    }, { components = { parameters = { ["a/b ~c"] = parameter } } })))
    t.equal(imported.api(result, t.host()).get_x({ q = "1" }).url, "https://t.test/x?q=1")
  end)

  t.test("warns about other documents, and takes their content for any", function()
    local schema = { ["$ref"] = "https://other.test/types.json#/Pet" }
    local result = assert(run(with_operation { responses = { ["200"] = {
      content = { ["application/json"] = { schema = schema } } } } }))
    t.equal(#result.warnings, 1)
    local message = "the reference '%s' leads to another document: its content counts as any"
    t.equal(result.warnings[1], message:format(
      "https://other.test/types.json#/Pet"))
  end)

  t.test("ends with references in a circle, of parameters too", function()
    local loop = {
      a = { ["$ref"] = "#/components/parameters/b" }, b = { ["$ref"] = "#/components/parameters/a" },
    }
    local result = assert(run(with_operation({ parameters = { { ["$ref"] = "#/components/parameters/a" } } },
      { components = { parameters = loop } })))
    t.matches(result.warnings[1], "leads to itself")
  end)

  t.test("ends with schemas that nest without end, and allOf of itself", function()
    local deep = { type = "string" }
    for _ = 1, 500 do deep = { type = "object", properties = { next = deep } } end
    local result = assert(run(with_operation({}, { components = { schemas = {
      Deep = deep,
      Own = {
        allOf = { { ["$ref"] = "#/components/schemas/Own" } }, properties = { a = { type = "string" } },
      },
      One = { anyOf = { { ["$ref"] = "#/components/schemas/One" }, { type = "null" } } },
    } } })))
    t.assert(load(imported.file(result, "_types.lua").text))
  end)

  t.test("ends with schemas to which very many ways lead", function()
    local schemas = { L60 = { type = "string" } }
    for number = 0, 59 do
      local part = { ["$ref"] = "#/components/schemas/L" .. number + 1 }
      schemas["L" .. number] = { allOf = { part, part, part }, required = { "a" } }
    end
    local first = { ["$ref"] = "#/components/schemas/L0" }
    local result = assert(import.run(with_operation({ responses = { ["200"] = {
      content = { ["application/json"] = { schema = first } } } } }, { components = { schemas = schemas } }),
      { output = "t", swift = true }))
    t.assert(#imported.file(result, "_types.lua").text < 100000)
  end)

  t.test("keeps what is no text out of the script", function()
    local evil = 'x"]] end os.exit() --[[\n]==]'
    local result = assert(import.run(with_operation({
      operationId = evil, summary = evil, description = evil,
      parameters = {
        { name = evil, ["in"] = "query", description = evil, schema = { type = "string", enum = { evil } } },
      },
      responses = { ["200"] = { content = { ["application/json"] = {
        schema = { type = "object", properties = { [evil] = { type = "string" } } },
        example = { [evil] = evil },
      } } } },
    }, { info = { title = evil, version = evil } }), { output = "t", swift = true }))
    for _, file in ipairs(result.files) do
      if file.path:find "%.lua$" then t.assert(load(file.text, file.path)) end
    end
    local api = imported.api(result, t.host())
    t.equal(#api.x_end_os_exit({ [evil] = "1" }).query, 1)
  end)

  t.test("gives each operation a name of its own", function()
    local document = with_operation { operationId = "get-it" }
    document.paths["/y"] = { get = { operationId = "getIt" }, post = { operationId = "service" } }
    local api = imported.api(assert(run(document)), t.host())
    t.equal(api.get_it().url, "https://t.test/x")
    t.equal(api.get_it_2().url, "https://t.test/y")
    t.equal(api.service_2().method, "POST")
  end)
end)
