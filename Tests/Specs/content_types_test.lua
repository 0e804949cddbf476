local t = require "resthost.test"
local support = require "support"
local rest = require "resthost"

local url = support.base .. "foo"
local all = { "json", "text", "xml", "csv", "yaml", "msgpack", "cbor" }

local function load(body, type, options, configure)
  local host, service = support.service(options or { standard_transformers = all })
  if configure then configure(service) end
  host:stub("GET", url, { body = body, headers = { ["Content-Type"] = type } })
  return service:resource("/foo"):load():await()
end

local xml = "<a><b>1</b></a>"
local element = { name = "a", attributes = {}, text = "", children = {
  { name = "b", attributes = {}, text = "1", children = {} },
} }

t.describe("bodies of further formats", function()
  for _, case in ipairs {
    { "application/xml", xml, element }, { "text/xml; charset=utf-8", xml, element },
    { "application/atom+xml", xml, element },
    { "text/csv", "a,b\n1,2\n", { { a = "1", b = "2" } } },
    { "application/yaml", "a: [1, x]\n", { a = { 1, "x" } } }, { "text/yaml", "- 1\n", { 1 } },
    { "application/vnd.api+yaml", "a: 1\n", { a = 1 } },
    { "application/msgpack", "\x81\xa1a\x01", { a = 1 } },
    { "application/cbor", "\xa1\x61a\x01", { a = 1 } }, { "application/senml+cbor", "\x81\x01", { 1 } },
  } do
    t.test(case[1] .. " is decoded", function()
      local entity = t.assert(load(case[2], case[1]))
      t.equal(entity.content, case[3])
      t.equal(entity.content_kind, "json")
    end)
  end

  t.test("they are off by default", function()
    t.equal(t.assert(load(xml, "application/xml", {})).content_kind, "bytes")
    t.equal(t.assert(load("a\n1\n", "text/csv", {})).content_kind, "text")
    t.equal(t.assert(load("\x01", "application/cbor", {})).content_kind, "bytes")
  end)

  t.test("other types stay as they are", function()
    t.equal(t.assert(load("a,b", "text/plain")).content, "a,b")
    t.equal(t.assert(load("[1]", "application/json")).content, { 1 })
    t.equal(t.assert(load("<a/>", "application/xhtml")).content_kind, "bytes")
  end)

  t.test("the charset of the response is decoded", function()
    t.equal(t.assert(load("<a>\xe9</a>", "text/xml; charset=iso-8859-1")).content.text, "é")
    t.equal(t.assert(load("<?xml version='1.0' encoding='koi8-r'?><a>\xd1</a>", "text/xml")).content.text, "я")
    t.equal(t.assert(load("a\n\xe9\n", "text/csv; charset=iso-8859-1")).content, { { a = "é" } })
  end)

  t.test("values that JSON lacks are values", function()
    t.equal(t.assert(load("[.inf]", "application/yaml")).content_kind, "value")
    local entity = t.assert(load("\xa1\x01\x41\xff", "application/cbor"))
    t.equal(entity.content, { [1] = "\xff" })
    t.equal(entity.content_kind, "value")
  end)

  for _, case in ipairs {
    { "application/xml", "<a>\n<b></a>", { format = "XML", message = "mismatched tag", line = 2, column = 6 } },
    { "text/csv", "a\n\n1,2\n",
      { format = "CSV", message = "it has 2 fields, and the first row 1", row = 2, line = 3 } },
    { "application/cbor", "\x01\x01",
      { format = "CBOR", message = "the value ends here, and 1 bytes follow", offset = 1 } },
  } do
    t.test("a fault of " .. case[1] .. " has its place", function()
      local entity, err = load(case[2], case[1])
      t.equal(entity, nil)
      t.equal(err.user_message, "Cannot parse server response")
      local cause = err.cause
      t.equal(cause.type, "malformed_content")
      for name, wanted in pairs(case[3]) do t.equal(cause[name], wanted) end
    end)
  end

  t.test("an unknown name is an error", function()
    t.raises(function() support.service { standard_transformers = { "jsn" } } end,
      "unknown standard transformer 'jsn': there are \"json\", .*\"cbor\"")
  end)

  t.test("a body without bytes is passed on", function()
    local entity = t.assert(load("", "application/xml"))
    t.equal(entity.content, "")
  end)
end)

t.describe("transformers with options", function()
  t.test("a table with semicolons", function()
    local entity = t.assert(load("a;b\n1;2\n", "text/csv", {}, function(service)
      service:configure_transformer("/foo", { stage = "decoding" },
        rest.transformers.csv { separator = ";", types = { b = "integer" } })
    end))
    t.equal(entity.content, { { a = "1", b = 2 } })
  end)

  t.test("a function gets what a bundled plugin has decoded", function()
    local entity = t.assert(load("<a>x<b/></a>", "text/xml", {}, function(service)
      service:use("xml", { mixed = true })
      service:configure_transformer("/foo", function(root) return { first = root.children[1] } end)
    end))
    t.equal(entity.content, { first = "x" })
  end)

  for _, name in ipairs { "csv", "yaml", "msgpack", "cbor" } do
    t.test("the plugin " .. name .. " takes a content type of its own", function()
      local bodies = { csv = "a\n1\n", yaml = "- {a: '1'}", msgpack = "\x91\x81\xa1a\xa11", cbor = "\x81\xa1\x61a\x611" }
      local entity = t.assert(load(bodies[name], "text/mine", {}, function(service)
        service:use(name, { content_types = { "text/mine" } })
      end))
      t.equal(entity.content, { { a = "1" } })
    end)
  end
end)

t.describe("paths through XML", function()
  local root = assert(rest.xml.decode [[
    <r xmlns:n="urn:n">
      <a id="1"><b>x</b><b>y</b></a>
      <n:a id="2"><b><b id="5">z</b></b></n:a>
      <c n:id="3"/>
    </r>]])

  local function ids(path, options)
    local found = {}
    for index, element in ipairs(rest.xml.find_all(root, path, options)) do
      found[index] = type(element) == "string" and element or element.attributes.id or element.text
    end
    return table.concat(found, " ")
  end

  for path, wanted in pairs {
    ["a"] = "1 2", ["{}a"] = "1", ["{urn:n}a"] = "2", ["*"] = "1 2 ", ["a/b"] = "x y ", ["//b"] = "x y  5",
    ["a//b"] = "x y  5", ["//b//b"] = "5", [".//a"] = "1 2", ["./a"] = "1 2", ["a[1]"] = "1", ["a[last()]"] = "2",
    ["a/b[2]"] = "y", ["//b[1]"] = "x  5", ["a[@id]"] = "1 2", ["a[@id='2']"] = "2", ["a[b='y']"] = "1",
    ["a[b]"] = "1 2", ["//b[.='z']"] = "5", ["//b[text()=\"y\"]"] = "y", ["a/@id"] = "1 2", ["//@id"] = "1 2 5",
    ["c/@{urn:n}id"] = "3", ["a[1][b='y']/b[1]"] = "x", ["a[b='y'][1]"] = "1", ["nothing"] = "", ["@id"] = "",
  } do
    t.test(path, function() t.equal(ids(path), wanted) end)
  end

  t.test("prefixes are those of the option", function()
    t.equal(ids("p:a", { namespaces = { p = "urn:n" } }), "2")
    t.equal(ids("*/@p:id", { namespaces = { p = "urn:n" } }), "3")
    t.raises(function() rest.xml.find(root, "p:a") end, "the prefix 'p' is none of the option 'namespaces'")
  end)

  t.test("a table that contains itself ends", function()
    local loop = { name = "a" }
    loop.children = { loop }
    t.raises(function() rest.xml.find_all(loop, "//a") end, "nested more than 512 levels deep")
  end)

  t.test("elements in other forms are passed over", function()
    t.equal(rest.xml.find({}, "a"), nil)
    t.equal(#rest.xml.find_all({ children = { "text", 5, { name = "a" }, {} } }, "*"), 2)
  end)
end)

t.describe("readers of records", function()
  t.test("a function gets the rows", function()
    local seen = {}
    local reader = rest.csv.reader({ types = { n = "integer" } }, function(row) seen[#seen + 1] = row.n end)
    t.equal(reader:write "n\n1\n2", 1)
    t.equal(reader:write "3\n", 1)
    t.equal(reader:finish(), 0)
    t.equal(seen, { 1, 23 })
    t.equal(reader.count, 2)
    t.raises(function() reader:write "4\n" end, "the reader has finished")
  end)

  t.test("without one the methods return them", function()
    local reader = rest.json.reader()
    t.equal(reader:write '{"a":1}\n[2', { { a = 1 } })
    t.equal(reader:finish(), nil)
    t.raises(function() reader:finish() end, "the reader has met a fault")
  end)

  t.test("a fault is nil and a message", function()
    local reader = rest.csv.reader()
    local rows, message = reader:write "a\n1,2\n"
    t.equal(rows, nil)
    t.equal(message, "malformed CSV in row 2: it has 2 fields, and the first row 1")
  end)

  t.test("the name of a column has a limit", function()
    t.raises(function() rest.transformers.csv { header = { ("x"):rep(1025) } } end, "at most 1024 bytes")
  end)

  t.test("an error of the function is raised", function()
    local reader = rest.csv.reader({}, function() error("mine", 0) end)
    t.raises(function() reader:write "a\n1\n" end, "mine")
  end)

  t.test("the function can't wait", function()
    local reader = rest.csv.reader({}, function() rest.sleep(1) end)
    t.raises(function() reader:write "a\n1\n" end, "without it reader:write returns them")
  end)
end)

t.describe("values that a format lacks", function()
  for _, case in ipairs {
    { "yaml", { 1, a = 2 }, "a table has either items or fields" }, { "xml", {}, "an element is a table with a name" },
    { "csv", { { {} } }, "row 1" }, { "yaml", { f = print }, "cannot encode as YAML" },
    { "msgpack", { f = print }, "cannot encode as MessagePack" },
  } do
    t.test(case[1] .. ": " .. case[3], function()
      t.raises(function() rest[case[1]].encode(case[2]) end, case[3])
    end)
  end
end)
