-- Bodies in an OpenAPI document: which of several content types is used, and how a script gives it.
local document = require "resthost.openapi_document"
local writer = require "resthost.script_writer"

local body = {}

-- The kinds of bodies that a definition can have, the preferred first.
local function kind_of(content_type)
  local essence = content_type:lower():match "^%s*([^;%s]*)"
  if essence == "application/json" then return "json", 1 end
  if essence:find "%+json$" then return "json", 2 end
  if essence:find "json" then return essence:find "json[-_]?seq" and "bytes" or "json", 3 end
  if essence == "application/x-www-form-urlencoded" then return "form", 4 end
  if essence == "multipart/form-data" then return "multipart", 5 end
  if essence:find "^text/" then return "text", 6 end
  if essence == "*/*" then return "bytes", 8 end
  return "bytes", 7
end

--- The content type of several that is used: its node with `content_type`, and its kind.
function body.media(doc, content)
  local best, rank, name
  local types = document.keys(content)
  for _, content_type in ipairs(types) do
    local _, place = kind_of(content_type)
    if not content_type:find "%c" and (not rank or place < rank) then
      best, rank, name = content[content_type], place, content_type
    end
  end
  if not best then return nil end
  local node = {}
  for key, value in pairs(doc:resolve(best)) do node[key] = value end
  node.content_type, node.types = name, types
  return node, (kind_of(name))
end

-- Whether a schema has a field that only parts of a form, or nested names, can express.
local function has_nested_fields(doc, schema)
  for _, node in pairs(document.table(doc:resolve(schema).properties)) do
    local kind = doc:kind(node)
    if kind == "object" or kind == "array" or kind == nil then return true end
  end
  return false
end

-- Whether a body of JSON is an object or a list, which definitions take as it is.
local function is_container(doc, schema, depth)
  schema = doc:resolve(schema)
  local kind = doc:kind(schema)
  if kind == "object" or kind == "array" or type(schema.properties) == "table" then return true end
  local first = depth < 10 and document.table(schema.allOf)[1]
  return first and is_container(doc, first, depth + 1) or false
end

--- The body of an operation, or nil.
function body.of(doc, request_body)
  if type(request_body) ~= "table" then return nil end
  local node = doc:resolve(request_body)
  local media, kind = body.media(doc, node.content)
  if not media then return nil end
  local schema = doc:resolve(media.schema)
  local is_form = kind == "form" or kind == "multipart"
  -- Some documents give each operation a body without fields.
  if node.required ~= true and (is_form or schema.additionalProperties == false)
    and next(document.table(schema.properties)) == nil and schema.allOf == nil and schema.anyOf == nil
    and schema.oneOf == nil and type(schema.additionalProperties) ~= "table" then
    return nil
  end
  local has_deep_style = false
  for _, encoding in pairs(document.table(media.encoding)) do
    has_deep_style = has_deep_style or document.table(encoding).style == "deepObject"
  end
  return {
    kind = kind, content_type = media.content_type, types = media.types, schema = media.schema,
    required = node.required == true, description = writer.sentence(node.description, 200),
    is_list = doc:kind(schema) == "array", is_container = is_container(doc, media.schema, 0),
    example = doc:example(media), has_deep_style = has_deep_style,
    has_nested_fields = kind == "form" and (has_deep_style or has_nested_fields(doc, media.schema)),
  }
end

return body
