-- Writes the test of an imported script: each operation is sent to a stub, which answers with the document's
-- example.
local document = require "resthost.openapi_document"
local samples = require "resthost.openapi_samples"
local writer = require "resthost.script_writer"

local tests = {}

-- The bytes of all examples together, beyond which tests have none.
local most_bytes = 4000000

-- The helper of the test file.
local check = [[
-- Sends a definition to a stub, which answers as the API's document shows.
local function check(definition, method, url, status, json, names)
  t.equal(definition.method, method)
  local headers = json and { ["Content-Type"] = "application/json" } or nil
  local stub = host:stub(method, url, { status = status, headers = headers, body = json })
  local entity = t.assert(definition:send():await())
  t.equal(#stub.requests, 1)
  for _, name in ipairs(names or {}) do
    t.assert(stub.requests[1].url:find(name .. "=", 1, true), name .. " is missing in the query")
  end
  if json and method ~= "HEAD" then t.equal(entity.content, rest.json.decode(json)) end
end
]]

-- A sample as an argument. In a path it is a word that needs no escape.
local function argument(doc, one)
  local value = one.example
  if not writer.is_value(value) then value = samples.of(doc, one.schema) end
  if one.where == "path" then
    if type(value) == "table" then value = value[1] end
    if math.type(value) ~= "integer" and not (type(value) == "string" and value:find "^[%w_-]+$") then
      value = "a"
    end
  end
  return value
end

local function url_of(api, operation, values)
  local path = operation.template:gsub("{([%w_]+)}", function(name)
    for index, one in ipairs(operation.path_params) do
      if one.argument == name then
        return one.style == "simple" and tostring(values[index]) or "*"
      end
    end
  end)
  -- A segment with escapes, or with characters of globs, becomes a glob.
  path = path:gsub("[^/]+", function(segment) return segment:find "[^%w._~:@-]" and "*" or segment end)
  local base = api.services[operation.service].url:gsub("/$", "")
  return base .. (path ~= "" and "/" .. path or "/")
end

local function call_of(api, operation)
  local doc, values, texts = api.doc, {}, {}
  for index, one in ipairs(operation.path_params) do
    values[index] = argument(doc, one)
    texts[index] = writer.value(values[index], "  ")
  end
  local body = operation.body
  if body then
    local value = body.example
    if not writer.is_value(value) then value = samples.of(doc, body.schema) end
    if body.kind == "text" or body.kind == "bytes" then value = "text" end
    local has_fields = type(value) == "table" and next(value) ~= nil and #value == 0
    if (body.kind == "form" or body.kind == "multipart") and not has_fields then
      value = { [document.keys(doc:resolve(body.schema).properties)[1] or "field"] = "text" }
    end
    texts[#texts + 1] = value == nil and "nil" or writer.value(value, "  ")
  end
  local fields = {}
  for _, one in ipairs(operation.params) do
    if one.required then
      fields[#fields + 1] = ("%s = %s"):format(writer.key(one.key), writer.value(argument(doc, one), "  "))
    end
  end
  if #fields > 0 then texts[#texts + 1] = "{ " .. table.concat(fields, ", ") .. " }" end
  local names = {}
  for _, one in ipairs(operation.params) do
    local kind = doc:kind(one.schema)
    local is_plain = one.style == "form" and (kind == "string" or kind == "integer")
    if is_plain and one.required and one.where == "query" and one.name:find "^[%w_-]+$" then
      names[#names + 1] = writer.quote(one.name)
    end
  end
  while texts[#texts] == "nil" do texts[#texts] = nil end
  return ("api.%s(%s)"):format(operation.name, table.concat(texts, ", ")), values, names
end

-- A body of JSON in the stub's answer. Values that aren't objects or lists are no content for the pipeline.
local function answer_of(api, operation, room)
  local result = operation.result
  if result.kind ~= "json" or not result.schema or operation.method == "HEAD" or room.bytes <= 0 then
    return nil
  end
  local json = samples.response(api.doc, result)
  if json then room.bytes = room.bytes - #json end
  return json
end

-- Credentials for trying out, by option.
local function credential_lines(api)
  local lines = {}
  for _, list in ipairs(api.security) do
    local scheme = list[1]
    if scheme.kind == "apiKey" or scheme.kind == "http" then
      for _, option in ipairs(scheme.options) do
        lines[#lines + 1] = ('%s = "for-trying"'):format(option.name)
      end
    end
  end
  return lines
end

--- The text of NAME_generated_test.lua.
function tests.of(api)
  local lines, room = {}, { bytes = most_bytes }
  local function add(text) lines[#lines + 1] = text end
  add(("-- Tests of %s_generated.lua, without a network. `resthost import` wrote this file."):format(
    api.base))
  add 'local t = require "resthost.test"'
  add 'local rest = require "resthost"'
  add ""
  add "local host = t.host()"
  local fields = credential_lines(api)
  table.insert(fields, 1, "rest = host.rest")
  add(("local api = require(%s).new { %s }"):format(
    writer.quote(api.base .. "_generated"), table.concat(fields, ", ")))
  add ""
  add "t.before_each(function() host:clear_stubs() end)"
  add ""
  add(check)
  for _, operation in ipairs(api.operations) do
    local call, values, names = call_of(api, operation)
    local json = answer_of(api, operation, room)
    add(("t.test(%s, function()"):format(writer.quote(operation.name)))
    add(("  check(%s, %s,"):format(call, writer.quote(operation.method)))
    local more = json and ", " .. writer.long(json) or #names > 0 and ", nil" or ""
    if #names > 0 then more = ("%s, { %s }"):format(more, table.concat(names, ", ")) end
    add(("    %s, %d%s)"):format(writer.quote(url_of(api, operation, values)), operation.result.status, more))
    add "end)"
    add ""
  end
  return table.concat(lines, "\n")
end

return tests
