local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup(options)
  local host, service = support.service(options)
  return host, service:resource("/foo"), service
end

local function typed(type) return { ["Content-Type"] = type } end

t.describe("text (18.3)", function()
  local function load(body, type, options)
    local host, r = setup(options)
    host:stub("GET", url, { body = body, headers = typed(type) })
    local entity, err = r:load():await()
    return entity, err, r
  end

  for _, type in ipairs { "text/plain", "text/foo", "TEXT/Plain; charset=utf-8" } do
    t.test(type .. " is text", function()
      local entity = t.assert(load("zwobble", type))
      t.equal(entity.content_kind, "text")
      t.equal(entity.content, "zwobble")
      t.equal(entity.text, "zwobble")
    end)
  end

  for _, type in ipairs { "application/monkey", "texty/foo", "application/text" } do
    t.test(type .. " is not", function()
      local entity = t.assert(load("zwobble", type))
      t.equal(entity.content_kind, "bytes")
      t.equal(entity.text, "")
    end)
  end

  t.test("D41: the default charset is UTF-8, and windows-1252 where the bytes are none", function()
    t.equal(t.assert(load("é", "text/plain")).content, "é")
    t.equal(t.assert(load("\xe9\x80", "text/plain")).content, "é€")
  end)

  t.test("D41: a mark, then the header, then the document's own word", function()
    t.equal(t.assert(load("\xef\xbb\xbfé", "text/csv; charset=iso-8859-1")).content, "é")
    t.equal(t.assert(load("\xff\xfe\xe9\0", "text/plain")).content, "é")
    t.equal(t.assert(load("<meta charset=koi8-r>\xd1", "text/html")).content, "<meta charset=koi8-r>я")
    t.equal(t.assert(load("<meta charset=koi8-r>\xe9", "text/html; charset=iso-8859-1")).content, "<meta charset=koi8-r>é")
    t.equal(t.assert(load("<meta charset=koi8-r>\xd1", "text/plain")).content, "<meta charset=koi8-r>Ñ")
  end)

  t.test("charsets", function()
    t.equal(t.assert(load("\xc3\xbd", "text/plain; charset=euc-jp")).content, "箪")
    t.equal(t.assert(load("\xd8\x3d\xdc\xa3", "text/plain; charset=utf-16")).content, "💣")
    t.equal(t.assert(load("é", "text/plain; charset=UTF-8")).content, "é")
    t.equal(t.assert(load("\xe9", "text/plain; charset=\"iso-8859-1\"")).content, "é")
  end)

  t.test("an unknown charset", function()
    local _, err = load("abc", "text/plain; charset=oodlefratz")
    t.equal(err.user_message, "Cannot parse server response")
    t.equal(err.cause.type, "invalid_text_encoding")
    t.equal(err.cause.name, "oodlefratz")
  end)

  t.test("bytes that are not of the charset", function()
    local _, err = load("\xd8", "text/plain; charset=utf-8")
    t.equal(err.cause.type, "undecodable_text")
    t.equal(err.cause.encoding, "utf-8")
    t.equal(err.user_message, "Cannot parse server response")
  end)

  t.test("errors are transformed; their body stays when it can't be", function()
    local host, r = setup()
    host:stub("GET", url, { status = 500, body = "oops", headers = typed "text/plain" })
    local _, err = r:load():await()
    t.equal(err.entity.content_kind, "text")
    t.equal(err.text, "oops")
    host:stub("GET", url, { status = 500, body = "\xd8", headers = typed "text/plain; charset=utf-8" })
    _, err = r:load():await()
    t.equal(err.entity.content_kind, "bytes")
    t.equal(err.entity.content, "\xd8")
    t.equal(err.http_status_code, 500)
    t.equal(err.user_message, "Internal server error")
  end)

  t.test("1.5: without standard transformers bodies stay bytes", function()
    t.equal(t.assert(load("x", "text/plain", { standard_transformers = {} })).content_kind, "bytes")
    t.equal(t.assert(load("{}", "application/json", { standard_transformers = { "text" } })).content_kind, "bytes")
  end)

  t.test("27.1: accessors of the wrong kind are empty", function()
    local entity, _, r = load("x", "application/octet-stream")
    t.equal(entity.text, "")
    t.equal(entity.json, {})
    t.equal(r.text, "")
    t.equal(r.json, {})
  end)
end)

t.describe("JSON (18.1, 18.2)", function()
  local function load(body, type, status)
    local host, r = setup()
    host:stub("GET", url, { status = status or 200, body = body, headers = typed(type or "application/json") })
    local entity, err = r:load():await()
    return entity, err, r
  end

  for _, type in ipairs {
    "application/json", "application/foo+json", "foo/json", "text/json", "application/json; charset=utf-8",
    "APPLICATION/JSON", "application/vnd.api+json" } do
    t.test(type, function()
      local entity = t.assert(load('{"foo":["bar",42]}', type))
      t.equal(entity.content_kind, "json")
      t.equal(entity.content, { foo = { "bar", 42 } })
      t.equal(entity.json.foo[2], 42)
    end)
  end

  for _, type in ipairs { "foo/bar", "application/jsonp", "application/ld+xjson", "json", "x/json+y" } do
    t.test(type .. " is not", function()
      t.equal(t.assert(load('{"foo":1}', type)).content_kind, "bytes")
    end)
  end

  for body, actual in pairs { ["17"] = "number", ['"x"'] = "string", ["null"] = "null", ["true"] = "boolean" } do
    t.test("a bare " .. actual .. " is no document", function()
      local _, err = load(body)
      t.equal(err.cause.type, "json_not_object_or_array")
      t.equal(err.user_message, "Cannot parse server response")
      t.equal(err.entity.content, body)
      t.equal(err.http_status_code, 200)
    end)
  end

  t.test("malformed", function()
    local _, err = load('{"foo":')
    t.equal(err.cause.type, "malformed_json")
    t.equal(err.user_message, "Cannot parse server response")
    t.equal(err.entity.content, '{"foo":')
  end)

  t.test("errors are transformed; a bad body leaves the error as it is", function()
    local _, err = load('{"error":"pigeon drove bus"}', nil, 500)
    t.equal(err.json.error, "pigeon drove bus")
    _, err = load('{"er', nil, 500)
    t.equal(err.entity.content, '{"er')
    t.equal(err.json, {})
    t.equal(err.cause, nil)
    t.equal(err.http_status_code, 500)
  end)

  t.test("null, empty containers and large integers survive", function()
    local host, r = setup()
    host:stub("GET", url, { body = '{"a":null,"b":[],"c":{},"d":9007199254740993}', headers = typed "application/json" })
    local content = t.assert(r:get())
    t.assert(content.a == host.rest.null)
    t.equal(content.d, 9007199254740993)
    t.equal(host.rest.json.encode(content.b), "[]")
    t.equal(host.rest.json.encode(content.c), "{}")
  end)

  t.test("fragments, when allowed", function()
    local host, r, service = setup()
    service:configure("**", function(c)
      c.pipeline.parsing:remove_transformers()
      c.pipeline.parsing:add(host.rest.transformers.json { allow_fragments = true }, { content_types = { "*/json" } })
    end)
    host:stub("GET", url, { body = "17", headers = typed "application/json" })
    t.equal(t.assert(r:get()), 17)
  end)
end)

t.describe("images (18.4)", function()
  local gif = "GIF89a\1\0\2\0\128\0\0\0\0\0\255\255\255!\249\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"

  t.test("format and size", function()
    local host, r = setup()
    host:stub("GET", url, { body = gif, headers = typed "image/gif" })
    local image = t.assert(r:get())
    t.equal({ image.format, image.width, image.height }, { "gif", 1, 2 })
    t.equal(image.bytes, gif)
    t.equal(r.latest_data.content_kind, "image")
  end)

  t.test("anything else can't be parsed; image/svg+xml is not image/*", function()
    local host, r = setup()
    host:stub("GET", url, { body = "bogus", headers = typed "image/png" })
    local _, err = r:load():await()
    t.equal(err.cause.type, "unparsable_image")
    t.equal(err.user_message, "Cannot parse server response")
    host:stub("GET", url, { body = "<svg/>", headers = typed "image/svg+xml" })
    t.equal(t.assert(r:load():await()).content_kind, "bytes")
  end)
end)

t.describe("types that several claim (guide ThePipeline, Stages)", function()
  local function load(order, type, body, status)
    local host, r = setup { standard_transformers = order }
    host:stub("GET", url, { status = status or 200, body = body, headers = typed(type) })
    return r:load():await()
  end

  t.test("the first has it, in whatever order", function()
    t.equal(t.assert(load({ "json", "text" }, "text/json", '{"a":1}')).content_kind, "json")
    t.equal(t.assert(load({ "text", "json" }, "text/json", '{"a":1}')).content_kind, "text")
    t.equal(t.assert(load({ "text", "json" }, "application/json", '{"a":1}')).content_kind, "json")
  end)

  t.test("what the first can't parse is left to nobody else", function()
    local _, err = load({ "json", "text" }, "text/json", '{"a"')
    t.equal(err.cause.type, "malformed_json")
    t.equal(err.entity.content_kind, "bytes")
    _, err = load({ "json", "text" }, "text/json", '{"a"', 404)
    t.equal(err.entity.content_kind, "bytes")
    _, err = load({ "image", "json" }, "image/json", '{"a":1}')
    t.equal(err.cause.type, "unparsable_image")
    t.equal(err.entity.content_kind, "bytes")
  end)
end)

t.describe("lone values of JSON (18.2, 27.1)", function()
  for body, input in pairs { ['"s"'] = "text", ["17"] = "number", ["true"] = "boolean" } do
    t.test(input, function()
      local host, r, service = setup { standard_transformers = {} }
      service:configure(function(c)
        c.pipeline.parsing:add(host.rest.transformers.json { allow_fragments = true })
        c.pipeline.model:add(host.rest.content_transformer { input = input, transform = function(v) return v end })
      end)
      host:stub("GET", url, { body = body, headers = typed "application/json" })
      t.assert(r:load():await())
      t.equal(r.text, input == "text" and "s" or "")
    end)
  end
end)
