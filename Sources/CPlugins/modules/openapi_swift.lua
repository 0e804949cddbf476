-- Writes an OpenAPI document as Swift: an endpoint, a call for each operation, and models.
local document = require "resthost.openapi_document"
local models = require "resthost.openapi_swift_models"
local names = require "resthost.openapi_swift_names"

local swift = {}

local scalars = { String = true, Int = true, Double = true, Bool = true }

-- The type of a parameter: a value, a list of values, an object's fields, or text.
local function parameter_type(made, one, label)
  if one.is_json then return "String", "text" end
  local name = made:of(one.schema, label, 0)
  if one.style == "deepObject" then return "[String: String]", "deep" end
  if scalars[name] or made.enums[name] then return name, "value" end
  local item = name:match "^%[([^:]*)%]$"
  if item and (scalars[item] or made.enums[item]) then return name, "list" end
  return "String", "text"
end

-- An expression for a list as one text.
local function joined(made, name, type_name, separator)
  local item = type_name:match "^%[(.*)%]$"
  local text = name
  if item ~= "String" then
    text = ("%s.map { %s }"):format(name, made.enums[item] and "$0.rawValue" or '"\\($0)"')
  end
  return ("%s.joined(separator: %s)"):format(text, names.text(separator))
end

local separators = { spaceDelimited = " ", pipeDelimited = "|" }

-- The statements of one parameter in a block.
local function statements(made, one, name, type_name, kind)
  local value = names.quoted(name)
  if one.where == "query" then
    if kind == "deep" then
      return ('for (key, text) in %s.sorted(by: { $0.key < $1.key }) { Query("%s[\\(key)]", text) }'):format(
        value, (names.text(one.name):sub(2, -2):gsub("%%", "%%%%")))
    end
    if kind == "list" and not one.explode then
      value = joined(made, value, type_name, separators[one.style] or ",")
    end
    return ("Query(%s, %s)"):format(names.text(one.name), value)
  end
  local text = kind == "list" and joined(made, value, type_name, ",")
    or made.enums[type_name] and value .. ".rawValue" or type_name == "String" and value
      or ('"\\(%s)"'):format(value)
  if one.where == "cookie" then
    return ('Header("Cookie", %s + %s)'):format(names.text(one.name .. "="), text)
  end
  return ("Header(%s, %s)"):format(names.text(one.name), text)
end

local function body_statement(body)
  local type = body.content_type
  local is_usual = type == "application/json" or type:find("*", 1, true)
  local suffix = is_usual and "" or ", type: " .. names.text(type)
  if body.kind == "form" then return "Body(form: body)" end
  if body.kind == "multipart" then return "Body(multipart: body)" end
  return ("Body(body%s)"):format(suffix)
end

local function body_type(made, operation)
  local body = operation.body
  if body.kind == "form" then return "[(String, String)]" end
  if body.kind == "multipart" then return "[MultipartPart]" end
  if body.kind == "text" then return "String" end
  if body.kind == "bytes" then return "[UInt8]" end
  return made:of(body.schema, operation.name .. "_body", 0), true
end

local function result_type(made, operation)
  local result = operation.result
  if operation.method == "HEAD" or not result.kind then return "Void" end
  if result.kind == "text" then return "String" end
  if result.kind ~= "json" then return "[UInt8]" end
  if not result.schema then return "Tree" end
  local name, is_nullable = made:of(result.schema, operation.name .. "_result", 0)
  return name .. (is_nullable and "?" or "")
end

-- The path as a literal with values.
local function path_of(made, operation, by_argument)
  local text = operation.template:gsub('[\\"]', "\\%0"):gsub("{([%w_]+)}", function(argument)
    local one = by_argument[argument]
    local value = names.quoted(one.name)
    if one.kind == "list" then value = joined(made, value, one.type, ",") end
    local prefix = one.node.style == "label" and "." or one.node.style == "matrix"
      and ";" .. one.node.name .. "=" or ""
    return prefix .. "\\(" .. value .. ")"
  end)
  return '"' .. text .. '"'
end

local methods = { GET = "get", HEAD = "head", POST = "post", PUT = "put", PATCH = "patch", DELETE = "delete" }

local function write_operation(made, operation, taken, add)
  local arguments, lines, by_argument = {}, {}, {}
  local inner = { body = true, api = true, key = true, text = true }
  for _, node in ipairs(operation.path_params) do
    local type_name, kind = parameter_type(made, node, operation.name .. "_" .. node.argument)
    local name = names.unique(names.value(node.name), inner)
    by_argument[node.argument] = { node = node, name = name, type = type_name, kind = kind }
    arguments[#arguments + 1] = ("_ %s: %s"):format(names.quoted(name), type_name)
  end
  local body = operation.body
  if body then
    local suffix = body.required and "" or "? = nil"
    arguments[#arguments + 1] = ("body: %s%s"):format((body_type(made, operation)), suffix)
    local statement = body_statement(body)
    lines[#lines + 1] = body.required and statement or ("if let body { %s }"):format(statement)
  end
  for _, pair in ipairs(operation.query) do
    lines[#lines + 1] = ("Query(%s, %s)"):format(names.text(pair[1]), names.text(pair[2]))
  end
  for _, node in ipairs(operation.params) do
    local type_name, kind = parameter_type(made, node, operation.name .. "_" .. node.name)
    local name = names.unique(names.value(node.key), inner)
    local statement = statements(made, node, name, type_name, kind)
    local suffix = node.required and "" or "? = nil"
    arguments[#arguments + 1] = ("%s: %s%s"):format(names.quoted(name), type_name, suffix)
    lines[#lines + 1] = node.required and statement
      or ("if let %s { %s }"):format(names.quoted(name), statement)
  end
  local method = methods[operation.method]
  local endpoint = operation.service == 1 and "api" or "api" .. operation.service
  local start = ("%s.%s%s"):format(endpoint, method or "call",
    method and "(" or "(" .. names.text(operation.method) .. ", ")
  local call = start .. path_of(made, operation, by_argument) .. ")"
  names.comment(operation.summary or operation.method .. " " .. operation.path, "    ", add)
  if operation.is_deprecated then add "    @available(*, deprecated)" end
  local name = names.quoted(names.unique(names.value(operation.name), taken))
  local result = result_type(made, operation)
  local head = ("    func %s(%s) -> Call<%s> {"):format(name, table.concat(arguments, ", "), result)
  if #head > 108 then
    head = ("    func %s(\n        %s\n    ) -> Call<%s> {"):format(
      name, table.concat(arguments, ",\n        "), result)
  end
  add(head)
  if #lines == 0 then
    add("        " .. call)
  else
    add("        " .. call .. " {")
    for _, line in ipairs(lines) do add("            " .. line) end
    add "        }"
  end
  add "    }"
  add ""
end

--- The text of NAME.generated.swift.
function swift.of(api)
  local lines, made = {}, models.new(api.doc)
  local function add(line) lines[#lines + 1] = line end
  local name = names.type(api.variable, {})
  made.taken[name] = true
  made.enums = {}
  for _, schema in ipairs(document.keys(document.table(document.table(api.doc.root.components).schemas))) do
    made:of_reference("#/components/schemas/" .. schema:gsub("~", "~0"):gsub("/", "~1"):gsub("%%", "%%25"))
  end
  for _, model in ipairs(made.list) do made.enums[model.name] = model.is_enum end
  add(("// %s, version %s. `resthost import` wrote this file, and replaces it when it runs again."):format(
    api.title, api.version))
  add "import RestClient"
  add ""
  add(("/// %s. The block of `init` has what all requests share, such as `Authorize`."):format(api.title))
  add(("struct %s: Sendable {"):format(name))
  local endpoints = {}
  for number, service in ipairs(api.services) do
    local variable = number == 1 and "api" or "api" .. number
    add(("    let %s: Endpoint"):format(variable))
    endpoints[number] = ("        %s = try Endpoint(url: %s, session: session, properties)"):format(
      variable, number == 1 and "url" or names.text(service.url))
  end
  add ""
  add "    init("
  add(("        url: String = %s, session: Session? = nil,"):format(names.text(api.services[1].url)))
  add "        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }"
  add "    ) throws(DefinitionError) {"
  for _, line in ipairs(endpoints) do add(line) end
  add "    }"
  add ""
  local taken = { api = true, init = true }
  for number = 2, #api.services do taken["api" .. number] = true end
  for _, operation in ipairs(api.operations) do write_operation(made, operation, taken, add) end
  lines[#lines] = "}"
  add ""
  add(("extension %s {"):format(name))
  local before = #lines
  made:write(add)
  if #lines > before then table.remove(lines, before + 1) end
  add "}"
  return table.concat(lines, "\n") .. "\n"
end

return swift
