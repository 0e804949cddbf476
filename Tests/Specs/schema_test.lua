local t = require "resthost.test"

local host = t.host()
local rest = host.rest
local compile = rest.schema.compile

t.describe("rest.schema", function()
  t.test("mismatches have the places in the value and in the schema", function()
    local schema = compile {
      title = "User", type = "object", required = { "id", "name" },
      properties = {
        id = { type = "integer", minimum = 1 }, name = { type = "string", maxLength = 3 },
        tags = { items = { ["$ref"] = "#/$defs/tag" }, uniqueItems = true },
      },
      additionalProperties = false, ["$defs"] = { tag = { enum = { "a", "b" } } },
    }
    t.equal(schema.title, "User")
    t.equal(tostring(schema), "schema 'User'")
    t.equal(schema:validate { id = 1, name = "Ann", tags = { "a", "b" } }, true)
    local ok, errors = schema:validate { id = 0, name = "Anna", tags = { "a", "c", "a" }, ["x/y"] = 1 }
    t.equal(ok, nil)
    table.sort(errors, function(a, b) return a.path .. a.schema < b.path .. b.schema end)
    t.equal(errors, {
      { path = "/id", schema = "/properties/id/minimum", message = "is 0, and must be at least 1" },
      { path = "/name", schema = "/properties/name/maxLength",
        message = "has 4 characters, and must have at most 3" },
      { path = "/tags/1", schema = "/$defs/tag/enum", message = 'is none of "a", "b"' },
      { path = "/tags", schema = "/properties/tags/uniqueItems", message = "has the same items at 0 and 2" },
      { path = "/x~1y", schema = "/additionalProperties", message = "isn't allowed" },
    })
    ok, errors = schema:validate { id = "1" }
    t.equal(errors[1], { path = "", schema = "/required", message = "has no 'name'" })
    t.equal(errors[2].message, "is of type string, not integer")
  end)

  t.test("at most 100 mismatches", function()
    local list = {}
    for i = 1, 500 do list[i] = i end
    local _, errors = compile { items = { type = "string" } }:validate(list)
    t.equal(#errors, 100)
  end)

  t.test("numbers are exact", function()
    local function accepts(schema, text) return (compile(schema):validate(rest.json.decode(text))) == true end
    t.equal(accepts({ multipleOf = 0.0001 }, "[0.0075]") , true)
    t.equal(accepts({ items = { multipleOf = 0.01 } }, "[19.99, 1e300, 0]"), true)
    t.equal(accepts({ items = { multipleOf = 0.01 } }, "[19.999]"), false)
    t.equal(accepts({ items = { type = "integer" } }, "[1.0, 1e3]"), true)
    t.equal(accepts({ items = { maximum = 9007199254740992 } }, "[9007199254740993]"), false)
    t.equal(accepts({ items = { const = 1 } }, "[1.0]"), true)
  end)

  t.test("formats are checked with the option only", function()
    local rows = {
      { "date-time", "2024-02-29T23:59:60Z", "2023-02-29T00:00:00Z" }, { "date", "2024-02-29", "2024-2-29" },
      { "time", "08:30:06.283+02:00", "08:30:06" }, { "duration", "P4DT12H30M5S", "P4D12H" },
      { "email", "a.b@example.com", "a.b.example.com" }, { "hostname", "a-b.example", "-a.example" },
      { "ipv4", "192.168.0.1", "256.1.1.1" }, { "ipv6", "::ffff:1.2.3.4", "1::2::3" },
      { "uri", "https://a.test/b?c#d", "/b" }, { "uri-reference", "/b", "\\b" },
      { "uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380" },
      { "json-pointer", "/a~0", "/a~" }, { "regex", "a+", "a(" }, { "uri-template", "/a/{b}", "/a/{b" },
      { "relative-json-pointer", "1/a", "a" }, { "unknown", "x", nil },
    }
    for _, row in ipairs(rows) do
      local plain, strict = compile { format = row[1] }, compile({ format = row[1] }, { formats = true })
      t.equal(plain:validate(row[3] or "x"), true)
      t.equal(strict:validate(row[2]), true, row[1])
      if row[3] then t.equal(strict:validate(row[3]), nil, row[1]) end
      t.equal(strict:validate(5), true)
    end
  end)

  t.test("references lead to documents that are given, and nowhere else", function()
    local documents = {
      ["https://api.test/user.json"] = { ["$id"] = "https://api.test/user.json", properties = { id = { ["$ref"] = "id.json#num" } } },
      ["https://api.test/id.json"] = { ["$defs"] = { n = { ["$anchor"] = "num", type = "integer" } } },
    }
    local schema = compile({ items = { ["$ref"] = "https://api.test/user.json" } }, { documents = documents })
    t.equal(schema:validate { { id = 1 } }, true)
    local _, errors = schema:validate { { id = "x" } }
    t.equal(errors[1].path, "/0/id")
    t.equal(errors[1].schema, "https://api.test/id.json#/$defs/n/type")
    t.raises(function() compile { items = { ["$ref"] = "https://api.test/user.json" } } end,
      "'$ref' at '/items' refers to 'https://api.test/user.json', and there is no document")
  end)

  t.test("a schema that can't be used is an error with its place", function()
    local rows = {
      { { properties = { a = { type = "strin" } } }, "'type' at '/properties/a' is the unknown type 'strin': did you mean 'string'?" },
      { { items = { pattern = "a(" } }, "'pattern' at '/items' can't be used: the pattern 'a(' is wrong" },
      { { patternProperties = { ["\\Q"] = {} } }, "ECMAScript has no escape '\\Q'" },
      { { ["$ref"] = "#/$defs/none" }, "'$ref' at the top refers to '#/$defs/none', and there is no schema" },
      { { ["$ref"] = "#none" }, "there is no such '$anchor'" },
      { { ["$ref"] = "#" }, "the schema at the top leads back to the top for the same value, without end" },
      { { allOf = { { anyOf = { { ["$ref"] = "#/$defs/a" } } } }, ["$defs"] = { a = { ["not"] = { ["$ref"] = "#/$defs/a" } } } },
        "leads back to" },
      { { exclusiveMinimum = true }, "'exclusiveMinimum' at the top is no number: write the number itself" },
      { { required = true }, "'required' at the top is no list" }, { { minLength = -1 }, "no whole number" },
      { { items = { {}, {} } }, "2020-12 calls it prefixItems" }, { { multipleOf = 0 }, "is not above zero" },
      { { properties = { a = 5 } }, "the schema at '/properties/a' is a number" },
      { { properties = { 5 } }, "'properties' at the top is no object" }, { { allOf = 5 }, "'allOf' at the top is no list" },
    }
    for _, row in ipairs(rows) do t.raises(function() compile(row[1]) end, row[2]) end
    t.raises(function() compile("x") end, "table or boolean")
    t.raises(function() compile({}, { format = true }) end, "formats")
  end)

  t.test("a recursive schema goes as deep as the value", function()
    local schema = compile { type = "array", items = { ["$ref"] = "#" } }
    local function nested(depth) return rest.json.decode(("["):rep(depth) .. ("]"):rep(depth)) end
    t.equal(schema:validate(nested(500)), true)
    local _, errors = schema:validate(rest.json.decode(("["):rep(300) .. "5" .. ("]"):rep(300)))
    t.equal(errors[1].message, "is of type integer, not array")
    local wide = compile { anyOf = { { type = "null" }, { allOf = { { items = { ["$ref"] = "#" } } } } } }
    t.raises(function() wide:validate(nested(500)) end, "nested deeper than")
  end)

  t.test("true, false and an empty schema", function()
    t.equal(compile(true):validate(nil), true)
    t.equal(compile({}):validate(rest.null), true)
    local _, errors = compile(false):validate(1)
    t.equal(errors, { { path = "", schema = "", message = "isn't allowed" } })
  end)
end)
