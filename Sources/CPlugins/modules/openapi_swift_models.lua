-- `Codable` models of an OpenAPI document's schemas.
local document = require "resthost.openapi_document"
local names = require "resthost.openapi_swift_names"
local writer = require "resthost.script_writer"

local models = {}
models.__index = models

local deepest, most_models = 24, 20000

function models.new(doc)
  local made = { doc = doc, taken = {}, by_reference = {}, list = {}, objects = {}, count = 0 }
  return setmetatable(made, models)
end

local function kind_of(schema)
  local kind = schema.type
  if type(kind) ~= "table" then return kind, schema.nullable == true or schema["x-nullable"] == true end
  local is_nullable, found, count = false, nil, 0
  for _, one in ipairs(kind) do
    if one == "null" then is_nullable = true else found, count = one, count + 1 end
  end
  return count == 1 and found or nil, is_nullable
end

local basic = { string = "String", integer = "Int", number = "Double", boolean = "Bool" }

local function is_open_enum(schema)
  if kind_of(schema) ~= "string" or type(schema.enum) ~= "table" or #schema.enum > 500 then return false end
  for _, value in ipairs(schema.enum) do
    if type(value) ~= "string" and type(value) ~= "userdata" then return false end
  end
  return true
end

-- Collects the fields of an object with those of the parts of its `allOf`, references too.
function models:collect(schema, model, seen, depth)
  if depth > deepest or seen[schema] then return end
  seen[schema] = true
  for _, part in ipairs(document.table(schema.allOf)) do
    self:collect(self.doc:resolve(part), model, seen, depth + 1)
  end
  for _, name in ipairs(document.table(schema.required)) do model.required[name] = true end
  for name, node in pairs(document.table(schema.properties)) do
    if type(name) == "string" then model.fields[name] = node end
  end
end

function models:has_fields(schema, depth)
  if self.objects[schema] ~= nil then return self.objects[schema] end
  local has_fields = next(document.table(schema.properties)) ~= nil
  self.objects[schema] = has_fields
  if has_fields or depth > deepest then return has_fields end
  for _, part in ipairs(document.table(schema.allOf)) do
    has_fields = has_fields or self:has_fields(self.doc:resolve(part), depth + 1)
  end
  self.objects[schema] = has_fields
  return has_fields
end

-- A struct for an object, whose fields get their types when all structs have names.
function models:add_struct(label, schema)
  self.count = self.count + 1
  if self.count > most_models then return "Tree" end
  local model = { schema = schema, fields = {}, required = {}, uses = {} }
  model.name = names.type(label, self.taken)
  self.list[#self.list + 1] = model
  return model.name
end

function models:of_reference(reference)
  local known = self.by_reference[reference]
  if known then return known == true and "Tree" or known end
  -- A schema that consists of itself is any JSON.
  self.by_reference[reference] = true
  local schema = self.doc:resolve { ["$ref"] = reference }
  local label = (reference:match "([^/]+)$" or reference):gsub("%%%x%x", "_"):gsub("~1", "_")
  local name
  if is_open_enum(schema) then
    name = names.type(label, self.taken)
    self.list[#self.list + 1] = { name = name, schema = schema, is_enum = true }
  elseif self:has_fields(schema, 0) then
    name = self:add_struct(label, schema)
  else
    name = self:of(schema, label, 0)
  end
  self.by_reference[reference] = name
  return name
end

-- The only choice of a union beside null, if there is one.
local function single_choice(doc, schema)
  local found, is_nullable, count = nil, false, 0
  for _, word in ipairs { "oneOf", "anyOf", "allOf" } do
    for _, part in ipairs(document.table(schema[word])) do
      if doc:resolve(part).type == "null" then is_nullable = true else found, count = part, count + 1 end
    end
  end
  if count == 1 then return found, is_nullable end
end

--- The type of a schema, and whether it may be null.
function models:of(schema, label, depth)
  local reference = document.reference(schema)
  if reference then
    local name = self:of_reference(reference)
    local _, is_nullable = kind_of(self.doc:resolve(schema))
    return name, is_nullable
  end
  if type(schema) ~= "table" or depth > deepest then return "Tree", false end
  local kind, is_nullable = kind_of(schema)
  local single, is_null_too = single_choice(self.doc, schema)
  if single and next(document.table(schema.properties)) == nil then
    local name, is_inner_null = self:of(single, label, depth + 1)
    return name, is_nullable or is_null_too or is_inner_null
  end
  if self:has_fields(schema, 0) then return self:add_struct(label, schema), is_nullable end
  if schema.oneOf or schema.anyOf then return "Tree", is_nullable end
  if kind == "array" then
    local item, may_be_null = self:of(schema.items, label .. "_item", depth + 1)
    return ("[%s%s]"):format(item, may_be_null and "?" or ""), is_nullable
  elseif kind == "object" or kind == nil and schema.additionalProperties ~= nil then
    local values = schema.additionalProperties
    if type(values) ~= "table" or next(values) == nil then return "[String: Tree]", is_nullable end
    local value, may_be_null = self:of(values, label .. "_value", depth + 1)
    return ("[String: %s%s]"):format(value, may_be_null and "?" or ""), is_nullable
  end
  return basic[kind] or "Tree", is_nullable
end

-- Gives the fields of each struct their types, which may add structs.
function models:complete()
  local place = self.completed or 1
  while place <= #self.list do
    local model = self.list[place]
    if not model.is_enum then
      self:collect(model.schema, model, {}, 0)
      local taken = { CodingKeys = true }
      model.properties = {}
      for index, field in ipairs(writer.keys(model.fields)) do
        local type_name, is_nullable = self:of(model.fields[field], model.name .. "_" .. field, 1)
        model.properties[index] = {
          key = field, name = names.unique(names.value(field), taken), type = type_name,
          is_optional = is_nullable or not model.required[field],
          about = writer.sentence(document.table(model.fields[field]).description, 160),
        }
        model.uses[type_name] = true
      end
    end
    place = place + 1
  end
  self.completed = place
end

-- Marks the structs that contain themselves, which Swift can't lay out (Tarjan's components).
function models:find_circles()
  local by_name, index, stack, counter = {}, {}, {}, 0
  local low, is_on_stack, component = {}, {}, {}
  for _, model in ipairs(self.list) do
    if not model.is_enum then by_name[model.name] = model end
  end
  local function visit(name)
    counter = counter + 1
    index[name], low[name], is_on_stack[name] = counter, counter, true
    stack[#stack + 1] = name
    for other in pairs(by_name[name].uses) do
      if by_name[other] and not index[other] then
        visit(other)
        low[name] = math.min(low[name], low[other])
      elseif by_name[other] and is_on_stack[other] then
        low[name] = math.min(low[name], index[other])
      end
    end
    if low[name] == index[name] then
      repeat
        local last = table.remove(stack)
        is_on_stack[last], component[last] = nil, name
      until last == name
    end
  end
  for _, model in ipairs(self.list) do
    if by_name[model.name] and not index[model.name] then visit(model.name) end
  end
  for _, model in pairs(by_name) do
    for _, property in ipairs(model.properties) do
      if by_name[property.type] and component[property.type] == component[model.name] then
        property.is_indirect, self.has_circles = true, true
      end
    end
  end
end

local function write_enum(model, add)
  add(("    struct %s: RawRepresentable, Hashable, Codable, Sendable, ExpressibleByStringLiteral,"):format(
    model.name))
  add "        QueryValueConvertible, PathConvertible"
  add "    {"
  add "        var rawValue: String"
  add "        init(rawValue: String) { self.rawValue = rawValue }"
  add "        init(stringLiteral text: String) { rawValue = text }"
  local taken = { rawValue = true, queryValue = true, pathComponent = true, hash = true, hashValue = true }
  for _, value in ipairs(model.schema.enum) do
    if type(value) == "string" then
      add(("        static let %s: %s = %s"):format(
        names.quoted(names.unique(names.value(value), taken)), model.name, names.text(value)))
    end
  end
  add "    }"
end

local function write_struct(model, add)
  add(("    struct %s: Codable, Sendable {"):format(model.name))
  local has_keys = false
  for _, property in ipairs(model.properties) do
    names.comment(property.about, "        ", add)
    local type_name = property.is_indirect and ("Indirect<%s>"):format(property.type) or property.type
    local suffix = property.is_optional and "?" or ""
    add(("        var %s: %s%s"):format(names.quoted(property.name), type_name, suffix))
    has_keys = has_keys or property.name ~= property.key
  end
  if has_keys then
    add ""
    add "        enum CodingKeys: String, CodingKey {"
    for _, property in ipairs(model.properties) do
      add(("            case %s = %s"):format(names.quoted(property.name), names.text(property.key)))
    end
    add "        }"
  end
  add "    }"
end

--- Writes all models.
function models:write(add)
  self:complete()
  self:find_circles()
  table.sort(self.list, function(a, b) return a.name < b.name end)
  for _, model in ipairs(self.list) do
    add ""
    names.comment(writer.sentence(model.schema.description, 300), "    ", add)
    local write = model.is_enum and write_enum or write_struct
    write(model, add)
  end
  if self.has_circles then
    add ""
    add "    /// A value of a type that contains itself."
    add "    final class Indirect<Value: Codable & Sendable>: Codable, Sendable {"
    add "        let value: Value"
    add "        init(_ value: Value) { self.value = value }"
    add "        init(from decoder: any Decoder) throws { value = try Value(from: decoder) }"
    add "        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }"
    add "    }"
  end
end

return models
