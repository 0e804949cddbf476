-- Types of an imported script's functions for editors: NAME_types.lua, which is never loaded.
local document = require "resthost.openapi_document"
local types = require "resthost.openapi_types"
local writer = require "resthost.script_writer"

local stubs = {}

-- The definition, the request and the entity of a result, so that its content has a type in an editor.
local function definition_of(made, content, operation)
  if not content or content == "any" then return "resthost.definition" end
  local known = made.results[content]
  if known then return known end
  local base = content:match "^[%w_.]+$" or content:match "^([%w_.]+)%[%]$"
  if not base or not base:find("^" .. made.prefix:gsub("%p", "%%%0") .. "%.") then
    base = made.prefix .. "." .. operation.name
  elseif content:find "%]$" then
    base = base .. ".list"
  end
  base = base:sub(#made.prefix + 2)
  local definition, request = made:class_name(base .. ".definition"), made:class_name(base .. ".request")
  local entity = made:class_name(base .. ".entity")
  made.results[content] = definition
  made:add("---@class %s : resthost.definition", definition)
  made:add("---@field get fun(self: %s): %s|nil, resthost.error|nil", definition, content)
  made:add("---@field send fun(self: %s): %s", definition, request)
  made:add("---@field adding fun(self: %s, properties: resthost.properties): %s", definition, definition)
  made:add ""
  made:add("---@class %s : resthost.request", request)
  made:add("---@field await fun(self: %s): %s|nil, resthost.error|nil", request, entity)
  made:add ""
  made:add("---@class %s : resthost.entity", entity)
  made:add("---@field content %s", content)
  made:add ""
  return definition
end

-- The class of the table with an operation's parameters.
local function params_class(made, operation)
  local name = made:class_name(operation.name .. ".params")
  local fields = {}
  for index, one in ipairs(operation.params) do
    local about = writer.behind_type(one.description)
    local key = one.key:find "^[%a_][%w_]*$" and one.key or "[" .. writer.quote(one.key) .. "]"
    fields[index] = ("---@field %s%s %s%s"):format(
      key, one.required and "" or "?", made:of(one.schema, name .. "." .. one.key), about)
  end
  made:finish()
  made:add("---@class %s", name)
  for _, field in ipairs(fields) do made:add(field) end
  made:add ""
  return name
end

local function function_lines(made, operation)
  local arguments, params = {}, {}
  for _, one in ipairs(operation.path_params) do
    arguments[#arguments + 1] = one.argument
    params[#params + 1] = ("---@param %s %s%s"):format(one.argument,
      made:of(one.schema, ("%s.%s.%s"):format(made.prefix, operation.name, one.argument)),
      writer.behind_type(one.description))
  end
  local body = operation.body
  if body then
    arguments[#arguments + 1] = "body"
    local kind = (body.kind == "text" or body.kind == "bytes") and "string"
      or made:of(body.schema, ("%s.%s.body"):format(made.prefix, operation.name))
    -- A part of a form may be a table such as `{ file = "photo.jpg" }`.
    if body.kind == "multipart" then kind = kind .. "|table<string, any>" end
    params[#params + 1] = ("---@param body%s %s%s"):format(
      body.required and "" or "?", kind, writer.behind_type(body.description))
  end
  if #operation.params > 0 then
    arguments[#arguments + 1] = "params"
    params[#params + 1] = ("---@param params%s %s"):format(
      operation.params[1].required and "" or "?", params_class(made, operation))
  end
  local result, content = operation.result, nil
  if result.schema and result.kind == "json" then
    content = made:of(result.schema, ("%s.%s.result"):format(made.prefix, operation.name))
  elseif result.kind == "text" then
    content = "string"
  end
  made:finish()
  local definition = definition_of(made, content, operation)
  for _, text in ipairs { operation.summary or false, operation.description or false } do
    if text then
      for _, line in ipairs(writer.comment(text, "---", "")) do made:add(line) end
      made:add "---"
    end
  end
  made:add("---`%s %s`", operation.method, (operation.path:gsub("[%c`]", " ")))
  for _, line in ipairs(params) do made:add(line) end
  made:add("---@return %s", definition)
  if operation.is_deprecated then made:add "---@deprecated" end
  made:add("function api.%s(%s) end", operation.name, table.concat(arguments, ", "))
  made:add ""
end

local function options_class(made, api, credentials)
  made:add("---@class %s.options", api.variable)
  made:add("---@field base_url? string The URL of the API. Default: `%s`.",
    writer.sentence(api.services[1].url, 200))
  made:add("---@field name? string The name of the service. Default: `%s`.", api.services[1].name)
  made:add "---@field rest? table In a test: `host.rest`."
  made:add "---@field transport? resthost.service.options.transport The connection settings."
  for _, option in ipairs(api.server_options) do
    local choices = {}
    for index, value in ipairs(option.enum or {}) do choices[index] = writer.quote(value) end
    local kind = #choices > 0 and table.concat(choices, "|") or "string"
    local about = option.description and option.description .. " " or ""
    about = ("%sDefault: `%s`."):format(about, writer.sentence(option.default, 100) or "")
    made:add("---@field %s? %s%s", option.name, kind, writer.behind_type(about))
  end
  for _, option in ipairs(credentials) do
    made:add("---@field %s? string%s", option.name, writer.behind_type(option.description))
  end
  made:add ""
end

--- The text of NAME_types.lua.
function stubs.of(api, credentials)
  local made = types.new(api.doc, api.variable)
  made.taken[api.variable .. ".options"] = true
  made:add "---@meta"
  made:add("-- Types of %s for editors with the Lua language server. `resthost import` wrote this file.",
    api.title)
  made:add ""
  options_class(made, api, credentials)
  local schemas = document.table(document.table(api.doc.root.components).schemas)
  for _, name in ipairs(document.keys(schemas)) do
    made:of_reference("#/components/schemas/" .. name:gsub("~", "~0"):gsub("/", "~1"):gsub("%%", "%%25"))
  end
  made:finish()
  made:add("---@class %s", api.variable)
  made:add "---@field service resthost.service The service of the API."
  made:add "---@field expose table<string, table> All operations, for `expose` of a gateway."
  made:add "local api = {}"
  made:add ""
  for _, operation in ipairs(api.operations) do function_lines(made, operation) end
  return table.concat(made.lines, "\n")
end

return stubs
