-- An OpenAPI document: its version, and what its references lead to.
local swagger = require "resthost.openapi_swagger"
local writer = require "resthost.script_writer"

local document = {}
document.__index = document

-- References that lead to references.
local most_hops = 32

--- Ends the import with a message about the document.
function document.fail(message, ...)
  error({ import = select("#", ...) > 0 and message:format(...) or message }, 0)
end

--- The value if it is a table, else an empty one.
function document.table(value) return type(value) == "table" and value or {} end

--- The value if it is a text that isn't empty.
function document.text(value) return type(value) == "string" and value ~= "" and value or nil end

--- Opens a decoded document, in version 3 or 2.
function document.open(root)
  if type(root) ~= "table" then document.fail "the document is no object" end
  local version = root.openapi or root.swagger
  if type(version) ~= "string" and type(version) ~= "number" then
    document.fail "the document has neither 'openapi' nor 'swagger': it is no OpenAPI document"
  end
  version = tostring(version)
  local self = setmetatable({ resolved = {}, warnings = {}, warned = {}, version = version }, document)
  if root.swagger then
    if not version:find "^2" then document.fail("Swagger %s is not supported: 2.0 is", version) end
    self.source, self.root = root, swagger.convert(root, self)
  elseif version:find "^3%.[0-2]" then
    self.source, self.root = root, root
  else
    document.fail("OpenAPI %s is not supported: 3.0, 3.1, 3.2 and Swagger 2.0 are", version:sub(1, 20))
  end
  return self
end

--- Notes a warning, each once and a hundred at most.
function document:warn(message, ...)
  message = message:format(...)
  if self.warned[message] then return end
  self.warned[message] = true
  if #self.warnings < 100 then
    self.warnings[#self.warnings + 1] = message
  elseif #self.warnings == 100 then
    self.warnings[101] = "there are more warnings of this kind"
  end
end

-- A part of the document by its pointer (RFC 6901 6: it is also escaped as a fragment of a URL).
local function at(root, pointer)
  local value = root
  for part in pointer:gmatch "/([^/]*)" do
    part = part:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
    part = part:gsub("~1", "/"):gsub("~0", "~")
    if type(value) ~= "table" then return nil end
    local found = value[part]
    local number = found == nil and part:find "^%d+$" and math.tointeger(tonumber(part))
    if number then found = value[number + 1] end
    value = found
  end
  return value
end

--- Finds a part by a reference. A missing one ends the import; one of another document is empty.
function document:find(reference)
  local known = self.resolved[reference]
  if known ~= nil then return known end
  local found
  if reference == "#" then
    found = self.root
  elseif reference:find "^#/" then
    found = at(self.root, reference:sub(2))
    if found == nil then found = at(self.source, reference:sub(2)) end
    if found == nil then document.fail("the reference '%s' leads nowhere", reference:sub(1, 200)) end
  else
    self:warn("the reference '%s' leads to another document: its content counts as any",
      reference:sub(1, 200))
    found = {}
  end
  if type(found) ~= "table" then found = {} end
  self.resolved[reference] = found
  return found
end

--- The reference of a node.
function document.reference(node)
  local reference = type(node) == "table" and node["$ref"]
  if type(reference) ~= "string" then return nil end
  -- Documents of Swagger 2 name the places from before their conversion.
  return (reference:gsub("^#/definitions/", "#/components/schemas/"))
end

--- The node itself, or the one that its references lead to.
function document:resolve(node)
  for _ = 1, most_hops do
    local reference = document.reference(node)
    if not reference then return document.table(node) end
    node = self:find(reference)
  end
  self:warn("the reference '%s' leads to itself", tostring(node["$ref"]):sub(1, 200))
  return {}
end

--- The type that a schema names: the first beside null of a list (OpenAPI 3.1).
function document:kind(schema)
  local kind = self:resolve(schema).type
  if type(kind) ~= "table" then return kind end
  return kind[1] ~= "null" and kind[1] or kind[2]
end

--- The first example of a parameter or a body; nil if there is none.
function document:example(node)
  if writer.is_value(node.example) then return node.example end
  local examples = document.table(node.examples)
  for _, key in ipairs(document.keys(examples)) do
    local value = self:resolve(examples[key]).value
    if writer.is_value(value) then return value end
  end
end

--- The keys of an object of the document, sorted.
function document.keys(node) return writer.keys(document.table(node)) end

return document
