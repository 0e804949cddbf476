-- Values of the kind that a schema describes, for tests of a script that was imported.
local rest = require "resthost"
local document = require "resthost.openapi_document"
local writer = require "resthost.script_writer"

local samples = {}

local deepest = 5
-- Values in one sample.
local most_values = 2000
-- The longest text of an example that a test file gets.
local most_bytes = 6000

local formats = {
  date = "2026-01-31", ["date-time"] = "2026-01-31T12:00:00Z", uuid = "3f8e6a52-0d27-4c9b-9a54-6c1f0b7d2e11",
  email = "ada@example.com", uri = "https://example.com/", ipv4 = "192.0.2.1", byte = "YWRh",
}

local function of_object(doc, schema, depth)
  local object = {}
  for _, part in ipairs(document.table(schema.allOf)) do
    local value = samples.of(doc, part, depth + 1)
    if type(value) == "table" then
      for key, item in pairs(value) do object[key] = item end
    end
  end
  local properties = document.table(schema.properties)
  for _, name in ipairs(document.table(schema.required)) do
    if properties[name] ~= nil and type(name) == "string" then
      object[name] = samples.of(doc, properties[name], depth + 1)
    end
  end
  return rest.json.object(object)
end

local function of_number(schema)
  local least = tonumber(schema.minimum) or tonumber(schema.exclusiveMinimum)
  if least and least > 1 then return least + 1 end
  return 1
end

--- A value of a schema: its example, or one that is made of its type and required fields.
function samples.of(doc, schema, depth)
  depth = depth or 0
  if depth == 0 then doc.sample_values = 0 end
  doc.sample_values = doc.sample_values + 1
  schema = doc:resolve(schema)
  if writer.is_value(schema.example) then return schema.example end
  if type(schema.examples) == "table" and writer.is_value(schema.examples[1]) then
    return schema.examples[1]
  end
  if writer.is_value(schema.const) then return schema.const end
  if type(schema.enum) == "table" and writer.is_value(schema.enum[1]) then return schema.enum[1] end
  if writer.is_value(schema.default) then return schema.default end
  local kind = doc:kind(schema)
  if kind == "string" then return formats[schema.format] or "text" end
  if kind == "integer" then return math.tointeger(of_number(schema) // 1) end
  if kind == "number" then return of_number(schema) end
  if kind == "boolean" then return true end
  if depth >= deepest or doc.sample_values > most_values then
    return kind == "array" and rest.json.array {} or rest.json.object {}
  end
  if kind == "array" then return rest.json.array { samples.of(doc, schema.items, depth + 1) } end
  for _, word in ipairs { "oneOf", "anyOf" } do
    local first = document.table(schema[word])[1]
    if first and type(schema.properties) ~= "table" then return samples.of(doc, first, depth + 1) end
  end
  return of_object(doc, schema, depth)
end

--- The body of a response as JSON: the example of the document if it is no longer than a page, else a sample.
function samples.response(doc, result)
  local example = result.example
  if type(example) == "table" then
    local text = rest.json.encode(example)
    if #text <= most_bytes then return text end
  end
  local sample = samples.of(doc, result.schema)
  if type(sample) ~= "table" and not result.is_single then return nil end
  local text = rest.json.encode(sample)
  if #text <= most_bytes then return text end
  return doc:kind(result.schema) == "array" and "[]" or "{}"
end

return samples
