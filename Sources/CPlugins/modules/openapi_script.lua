-- Writes the script of an OpenAPI document: a service and a definition for each operation.
local calls = require "resthost.openapi_calls"
local helpers = require "resthost.openapi_helpers"
local writer = require "resthost.script_writer"

local script = {}

--- The name of the API in scripts, made of that of the file. `rest` is the library's.
function script.name(base)
  local name = writer.name(base)
  return name == "rest" and "rest_api" or name
end

--- The options of `new` that are credentials, without repetition.
function script.credentials(api)
  local found, seen = {}, {}
  for _, list in ipairs(api.security) do
    for _, scheme in ipairs(list) do
      for _, option in ipairs(scheme.options) do
        if not seen[option.name] then found[#found + 1] = option end
        seen[option.name] = true
      end
    end
  end
  -- Secrets that were in the bodies of recorded requests.
  for _, option in ipairs(api.secret_options or {}) do
    if not seen[option.name] then found[#found + 1] = option end
    seen[option.name] = true
  end
  return found
end

--- The variable of the environment for an option: `PETSTORE_API_KEY`.
function script.variable(api, option)
  local name = option.name
  if name:sub(1, #api.variable + 1) ~= api.variable .. "_" then name = api.variable .. "_" .. name end
  return name:upper()
end

local function known_options(api)
  local names = { "base_url", "name", "rest", "transport" }
  for _, option in ipairs(api.server_options) do names[#names + 1] = option.name end
  for _, option in ipairs(script.credentials(api)) do names[#names + 1] = option.name end
  return names
end

-- Blocks that use a security scheme when its credentials are there.
local function security_lines(api, number, add)
  local service = api.services[number].variable
  for _, list in ipairs(api.security) do
    -- Credentials of a recording are for the server that got them.
    if list.service and list.service ~= number then list = {} end
    for index, scheme in ipairs(list) do
      local conditions = {}
      for _, option in ipairs(scheme.options) do
        if option.is_condition then conditions[#conditions + 1] = "options." .. option.name end
      end
      add(("  %s %s then"):format(index == 1 and "if" or "elseif", table.concat(conditions, " and ")))
      add("    " .. scheme.code:gsub("^service", service))
    end
    if #list > 0 then add "  end" end
  end
end

local function methods_of(api, number)
  local seen, methods = { TRACE = true, QUERY = true }, {}
  local function add(method)
    if not seen[method] then methods[#methods + 1] = method end
    seen[method] = true
  end
  for _, operation in ipairs(api.operations) do
    if operation.service == number then
      add(operation.method)
      if operation.method == "GET" then add "HEAD" end
    end
  end
  return methods
end

-- Endpoints for operations whose answers are single values, such as a number, by the number of the service.
local function single_values(api, add)
  local names = {}
  for _, operation in ipairs(api.operations) do
    local number = operation.service
    if operation.result.is_single and not names[number] then
      local service = api.services[number].variable
      names[number] = "single_" .. service
      add ""
      add "  -- For answers of JSON that are neither an object nor a list."
      add(("  local %s = %s:endpoint(\"\", {"):format(names[number], service))
      add "    configure = function(c)"
      add "      c.pipeline.parsing:remove_transformers():add("
      add "        rest.transformers.json { allow_fragments = true },"
      add "        { content_types = { \"*/json\", \"*/*+json\" } })"
      add "    end,"
      add "  })"
    end
  end
  return names
end

local function summary_of(operation)
  local text = operation.summary or writer.sentence(operation.description, 120)
    or operation.method .. " " .. operation.path
  return (operation.is_deprecated and "Deprecated. " or "") .. text
end

--- The text of NAME_generated.lua.
function script.generated(api)
  local used, body = {}, {}
  local function add(line) body[#body + 1] = line end
  helpers.need(used, "only")
  add "local M = {}"
  add ""
  add("--- The API, as a service and functions that return definitions.")
  if not api.is_untyped then
    add(("---@param options? %s.options"):format(api.variable))
    add(("---@return %s"):format(api.variable))
  end
  add "function M.new(options)"
  add(("  options = only(options, %s, \"option\")"):format(writer.texts(known_options(api), "  ")))
  for _, option in ipairs(api.server_options) do
    local value = ("options.%s or %s"):format(option.name, writer.quote(option.default))
    if option.enum then
      helpers.need(used, "one_of")
      value = ("one_of(%s, %s, %s)"):format(writer.quote(option.name), value, writer.texts(option.enum, "  "))
    end
    add(("  local %s = %s"):format(option.name, value))
  end
  add(("  local name = options.name or %s"):format(writer.quote(api.services[1].name)))
  add "  local rest = options.rest or rest"
  for number, service in ipairs(api.services) do
    local suffix = service.name:sub(#api.services[1].name + 1)
    service.variable = number == 1 and "service" or "service" .. number
    add(("  local %s = rest.service {"):format(service.variable))
    add(("    name = name%s,"):format(number == 1 and "" or " .. " .. writer.quote(suffix)))
    add(("    base_url = %s%s,"):format(number == 1 and "options.base_url or " or "", service.expression))
    add "    transport = options.transport,"
    add "  }"
  end
  if #api.security > 0 then
    add ""
    add "  -- Each request carries the credentials that the options have."
    for number in ipairs(api.services) do security_lines(api, number, add) end
  end
  add ""
  if not api.is_untyped then add(("  ---@type %s"):format(api.variable)) end
  add "  local api = { service = service }"
  add "  --- All operations, for `expose` of a gateway."
  add "  api.expose = {"
  for number, service in ipairs(api.services) do
    add(("    [%s.name] = { methods = %s },"):format(
      service.variable, writer.texts(methods_of(api, number), "    ")))
  end
  add "  }"
  local single = single_values(api, add)
  for _, operation in ipairs(api.operations) do
    local service = api.services[operation.service].variable
    if operation.result.is_single then service = single[operation.service] end
    add ""
    for _, line in ipairs(writer.comment(summary_of(operation), "-- ", "  ")) do add(line) end
    add((operation.define or calls.of)(api.doc, operation, service, used))
  end
  add ""
  add "  return api"
  add "end"
  add ""
  add "return M"
  local title = api.version and api.title .. ", version " .. api.version or api.title
  local about = "%s. `resthost import` wrote this file, and replaces it: write your changes into %s.lua."
  local head = writer.comment(about:format(title, api.base), "-- ", "")
  for _, text in ipairs { 'local rest = require "resthost"', "", helpers.text(used), "" } do
    head[#head + 1] = text
  end
  return table.concat(head, "\n") .. "\n" .. table.concat(body, "\n") .. "\n"
end

--- The text of NAME.lua, which the user changes.
function script.own(api)
  local about = "%s. This file is yours: `resthost import` writes it once, and %s_generated.lua each time."
  local lines = writer.comment(about:format(api.title, api.base), "-- ", "")
  local function add(text) lines[#lines + 1] = text end
  local width = #("resthost check .lua") + #api.base
  local function add_command(command, meaning)
    add(("--   %s%s   %s"):format(command, (" "):rep(width - #command), meaning))
  end
  add "--"
  add_command(("resthost check %s.lua"):format(api.base), "find mistakes in this script")
  add_command(("resthost run %s.lua"):format(api.base), "serve it: curl http://127.0.0.1:8080/-/openapi.json")
  if api.has_tests then add_command("resthost test", "run the tests, without a network") end
  add 'local rest = require "resthost"'
  add ""
  local credentials = script.credentials(api)
  if #credentials > 0 then add "-- The variables of the environment are granted in resthost.toml." end
  local module = writer.quote(api.base .. "_generated")
  if #credentials + #api.server_options > 0 then
    add(("local %s = require(%s).new {"):format(api.variable, module))
    for _, option in ipairs(credentials) do
      add(("  %s = rest.env.%s,"):format(option.name, script.variable(api, option)))
    end
    for _, option in ipairs(api.server_options) do
      add(("  -- %s = %s,"):format(option.name, writer.quote(option.default)))
    end
    add "}"
  else
    add(("local %s = require(%s).new()"):format(api.variable, module))
  end
  local example = "-- A job sends requests: local entity, err = %s.%s(…):send():await()"
  local first = api.operations[1]
  for _, operation in ipairs(api.operations) do
    if operation.method == "GET" then
      example, first = "-- A job sends requests: local content, err = %s.%s(…):get()", operation
      break
    end
  end
  for _, text in ipairs {
    "", "-- Blocks say how to request the API: how long data stays fresh, what is tried again, and so on.",
    ("%s.service:configure(\"**\", function(c) c.expiration_time = 30 end)"):format(api.variable), "",
    example:format(api.variable, first.name), "",
    ("-- The gateway serves all operations to programs on this machine%s. Without"):format(
      #credentials > 0 and ", with the credentials above" or ""),
    "-- `expose` it lets them read only.",
    ("rest.gateway { listen = \"127.0.0.1:8080\", expose = %s.expose }"):format(api.variable), "",
    ("return %s"):format(api.variable), "",
  } do
    add(text)
  end
  return table.concat(lines, "\n")
end

--- The result of an import: the script, the user's own files, and others by what follows the output's name.
function script.result(api, output, others)
  local files, names = {}, {}
  local function add(path, text, once) files[#files + 1] = { path = path, text = text, once = once } end
  add(output .. "_generated.lua", script.generated(api), false)
  for _, other in ipairs(others) do add(output .. other.suffix, other.text, false) end
  add(output .. ".lua", script.own(api), true)
  local count = #api.operations
  local summary = ("%s: %d operation%s"):format(api.title, count, count == 1 and "" or "s")
  for index, option in ipairs(script.credentials(api)) do names[index] = script.variable(api, option) end
  if #names > 0 then
    local grants = ("[permissions]\nenv = [\"%s\"]\n"):format(table.concat(names, '", "'))
    add((output:match "^.*/" or "") .. "resthost.toml", grants, true)
    summary = summary .. "; it reads " .. table.concat(names, ", ")
  end
  return { files = files, warnings = api.doc.warnings, summary = summary, variables = names }
end

return script
