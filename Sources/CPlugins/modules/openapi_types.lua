-- Types of an OpenAPI document's schemas for editors with the Lua language server.
local document = require "resthost.openapi_document"
local writer = require "resthost.script_writer"

local types = {}
types.__index = types

-- Limits of what a document can make of itself.
local most_types, deepest, most_choices, most_literals = 40000, 24, 40, 60

--- Types below a prefix, such as `petstore.Pet`.
function types.new(doc, prefix)
  return setmetatable({
    doc = doc, prefix = prefix, lines = {}, taken = {}, by_reference = {}, pending = {}, count = 0,
    results = {}, objects = {},
  }, types)
end

function types:add(format, ...)
  self.lines[#self.lines + 1] = select("#", ...) > 0 and format:format(...) or format
end

--- A name of a class that isn't taken.
function types:class_name(text)
  local name = text:gsub("[^%w_.]+", "_"):gsub("%.+", "."):gsub("^[._]+", ""):gsub("[._]+$", ""):sub(1, 150)
  return writer.unique(self.prefix .. "." .. (name == "" and "unnamed" or name), self.taken)
end

-- Puts off the definition of a class, so that schemas that contain themselves end.
function types:put_off(name, schema, depth)
  self.count = self.count + 1
  if self.count > most_types then
    self.doc:warn("there are more than %d types: further ones are `any`", most_types)
    return "any"
  end
  table.insert(self.pending, { name = name, schema = schema, depth = depth })
  return name
end

-- The class of a reference, which is defined once.
function types:of_reference(reference)
  local known = self.by_reference[reference]
  if known then return known end
  local schema = self.doc:find(reference)
  local label = reference:match "([^/]+/[^/]+)$" or reference
  label = reference:match "^#/components/schemas/([^/]+)$" or label
  label = label:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end):gsub("~1", "/")
  -- References in a circle, to other documents and to empty schemas say nothing.
  local says_something = next(self.doc:resolve { ["$ref"] = reference }) ~= nil
  local name = says_something and self:class_name(label) or "any"
  self.by_reference[reference] = name
  if name ~= "any" then self.by_reference[reference] = self:put_off(name, schema, 0) end
  return self.by_reference[reference]
end

local function literal(value)
  if type(value) == "string" and #value <= 80 and not value:find '[%c"\\`]' then
    return '"' .. value .. '"'
  end
  if type(value) == "boolean" or math.type(value) == "integer" then return tostring(value) end
end

local function add_choice(choices, known, choice)
  if not known[choice] then
    known[choice] = true
    choices[#choices + 1] = choice
  end
end

-- A union of literals, if all values have one and there are not too many.
local function of_values(values)
  if #values == 0 or #values > most_literals then return nil end
  local choices, known = {}, {}
  for _, value in ipairs(values) do
    if value == nil or type(value) == "userdata" then
      add_choice(choices, known, "lightuserdata")
    else
      local text = literal(value)
      if not text then return nil end
      add_choice(choices, known, text)
    end
  end
  return table.concat(choices, "|"), #choices > 1
end

local basic = {
  string = "string", integer = "integer", number = "number", boolean = "boolean", file = "string",
  ["null"] = "lightuserdata",
}

--- Whether a schema describes an object with fields of its own.
function types:is_object(schema, depth)
  schema, depth = self.doc:resolve(schema), depth or 0
  -- Each schema is looked at once, however many ways lead to it.
  if self.objects[schema] ~= nil then return self.objects[schema] end
  local is_object = next(document.table(schema.properties)) ~= nil
  self.objects[schema] = is_object
  if is_object or depth > deepest then return is_object end
  for _, part in ipairs(document.table(schema.allOf)) do
    is_object = is_object or self:is_object(part, depth + 1)
  end
  self.objects[schema] = is_object
  return is_object
end

-- The only part of `allOf` that says something, which is how documents describe a reference.
local function single_part(schema)
  local parts = document.table(schema.allOf)
  return #parts == 1 and next(document.table(schema.properties)) == nil and parts[1] or nil
end

function types:of_map(schema, name, depth)
  local values = schema.additionalProperties
  if type(values) == "table" and next(values) ~= nil then
    return ("table<string, %s>"):format(self:of(values, name .. ".value", depth + 1))
  end
  return "table"
end

function types:of_choices(list, name, depth)
  local choices, known = {}, {}
  for index, part in ipairs(list) do
    if index > most_choices then return "any" end
    add_choice(choices, known, (self:of(part, ("%s.%d"):format(name, index), depth + 1)))
  end
  if #choices == 0 or known.any then return "any" end
  return table.concat(choices, "|"), #choices > 1
end

function types:of_kind(kind, schema, name, depth)
  if kind == "array" then
    local items = schema.items
    if type(items) ~= "table" and type(schema.prefixItems) == "table" then
      items = { anyOf = schema.prefixItems }
    end
    local item, is_union = self:of(items, name .. ".item", depth + 1)
    return (is_union and "(" .. item .. ")" or item) .. "[]"
  end
  return basic[kind] or "any"
end

-- The type of a schema without its null.
function types:of_value(schema, name, depth)
  if type(schema.enum) == "table" then
    local union, is_union = of_values(schema.enum)
    if union then return union, is_union end
  end
  if schema.const ~= nil then return literal(schema.const) or "any" end
  local single = single_part(schema)
  if single then return self:of(single, name, depth + 1) end
  if self:is_object(schema) then
    return self:put_off(self:class_name(name:sub(#self.prefix + 2)), schema, depth)
  end
  for _, word in ipairs { "oneOf", "anyOf" } do
    if type(schema[word]) == "table" and #schema[word] > 0 then
      return self:of_choices(schema[word], name, depth)
    end
  end
  local parts = document.table(schema.allOf)
  if #parts > 0 then return self:of(parts[1], name, depth + 1) end
  local kind = schema.type
  if type(kind) == "table" then
    local choices, known = {}, {}
    for _, one in ipairs(kind) do
      local copy = setmetatable({ type = one }, { __index = schema })
      if one ~= "null" then add_choice(choices, known, (self:of_value(copy, name, depth + 1))) end
    end
    return #choices > 0 and table.concat(choices, "|") or "lightuserdata", #choices > 1
  end
  if kind == nil and schema.items ~= nil then kind = "array" end
  if kind == "object" or kind == nil and schema.additionalProperties ~= nil then
    return self:of_map(schema, name, depth)
  end
  return self:of_kind(kind, schema, name, depth)
end

local function is_nullable(schema)
  if schema.nullable == true or schema["x-nullable"] == true then return true end
  for _, kind in ipairs(document.table(schema.type)) do
    if kind == "null" then return true end
  end
  return false
end

--- The type of a schema; and whether it is a union, which takes parentheses in front of `[]`.
function types:of(schema, name, depth)
  depth = depth or 0
  local reference = document.reference(schema)
  if reference then return self:of_reference(reference) end
  if type(schema) ~= "table" or depth > deepest then return "any" end
  local text, is_union = self:of_value(schema, name, depth)
  if is_nullable(schema) and text ~= "any" and not text:find "lightuserdata$" then
    return text .. "|lightuserdata", true
  end
  return text, is_union
end

-- Collects the fields of a class from a schema and the parts of its `allOf`.
function types:collect(schema, class, depth)
  if class.seen[schema] then return end
  class.seen[schema] = true
  for _, name in ipairs(document.table(schema.required)) do class.required[name] = true end
  local properties = document.table(schema.properties)
  for _, name in ipairs(document.keys(properties)) do
    if not class.fields[name] then class.names[#class.names + 1] = name end
    class.fields[name] = properties[name]
  end
  if type(schema.additionalProperties) == "table" and next(schema.additionalProperties) ~= nil then
    class.values = schema.additionalProperties
  end
  for _, part in ipairs(document.table(schema.allOf)) do
    local reference = document.reference(part)
    if reference and self:is_object(part) then
      local parent = self:of_reference(reference)
      if parent ~= class.name and parent ~= "any" then class.parents[#class.parents + 1] = parent end
    elseif depth < deepest then
      self:collect(self.doc:resolve(part), class, depth + 1)
    end
  end
end

-- Writes the class or the alias of a schema.
function types:define(name, schema, depth)
  local doc = self.doc
  local text = writer.sentence(document.table(schema).description, 400)
  for _, line in ipairs(text and writer.comment(text, "---", "") or {}) do self:add(line) end
  local single = single_part(schema)
  if document.reference(schema) or single or not self:is_object(schema) then
    local alias = self:of(document.reference(schema) and schema or single or schema, name .. ".choice", depth)
    self:add("---@alias %s %s", name, alias == name and "any" or alias)
    return self:add ""
  end
  local class = { name = name, parents = {}, fields = {}, names = {}, required = {}, seen = {} }
  self:collect(schema, class, 0)
  self:add("---@class %s%s", name, #class.parents > 0 and " : " .. table.concat(class.parents, ", ") or "")
  table.sort(class.names)
  for _, field in ipairs(class.names) do
    local node = class.fields[field]
    local about = writer.sentence(document.table(node).description or doc:resolve(node).description, 160)
    local key = field:find "^[%a_][%w_]*$" and field or "[" .. writer.quote(field) .. "]"
    self:add("---@field %s%s %s%s", key, class.required[field] and "" or "?",
      self:of(node, name .. "." .. field, depth + 1), writer.behind_type(about))
  end
  if class.values then
    self:add("---@field [string] %s", (self:of(class.values, name .. ".value", depth + 1)))
  end
  self:add ""
end

--- Writes the types that were named so far, and those that they name.
function types:finish()
  local place = 1
  while place <= #self.pending do
    local one = self.pending[place]
    self.pending[place] = false
    self:define(one.name, one.schema, one.depth)
    place = place + 1
  end
  self.pending = {}
end

return types
