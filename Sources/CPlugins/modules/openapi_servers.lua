-- The servers of an OpenAPI document, as services of the script.
local document = require "resthost.openapi_document"
local writer = require "resthost.script_writer"

local servers = {}

-- The URL as an expression of Lua, in which variables are options of the script.
local function expression(doc, url, variables, taken, options)
  local parts, rest_of_url = {}, url
  local function add(text) if text ~= "" then parts[#parts + 1] = writer.quote(text) end end
  while true do
    local before, name, after = rest_of_url:match "^([^{]*){([^{}]*)}(.*)$"
    if not before then break end
    local variable = document.table(variables[name])
    local default = variable.default
    if type(default) ~= "string" and type(default) ~= "number" then
      doc:warn("the server variable '%s' has no default", name)
      default = ""
    end
    default = tostring(default)
    local option = options.by_variable[name]
    if not option then
      local enum, has_default = {}, false
      for _, value in ipairs(document.table(variable.enum)) do
        enum[#enum + 1] = tostring(value)
        has_default = has_default or tostring(value) == default
      end
      if #enum > 0 and not has_default then enum[#enum + 1] = default end
      option = {
        name = writer.unique(writer.name(name, "variable"), taken), default = default,
        enum = #enum > 0 and enum or nil, description = writer.sentence(variable.description, 160),
      }
      options.by_variable[name] = option
      table.insert(options, option)
    end
    add(before)
    -- Another server's variable of this name may have another default: then that is part of its URL.
    if option.default == default then parts[#parts + 1] = option.name else add(default) end
    rest_of_url = after
  end
  add(rest_of_url)
  return #parts > 0 and table.concat(parts, " .. ") or '""'
end

local function defaults(url, variables)
  return (url:gsub("{([^{}]*)}", function(name)
    local default = document.table(variables[name]).default
    return default ~= nil and tostring(default) or ""
  end))
end

-- A server of a list: its URL with the default values of its variables, and as an expression.
local function server_of(doc, list, given_url, taken, options)
  local server = document.table(document.table(list)[1])
  local url, variables = document.text(server.url) or "/", document.table(server.variables)
  local default = defaults(url, variables)
  if default:find '[%c%s"<>\\^`{}|]' then default = "/" end
  if default:find "^https?://[^/]" then
    return { url = default, expression = expression(doc, url, variables, taken, options) }
  end
  if given_url then return { url = given_url, expression = writer.quote(given_url) } end
  if not default:find "^/" then default = "/" .. default end
  doc:warn("the document doesn't say where its server is: set the URL with --base-url, or `base_url`")
  default = "http://localhost:8080" .. (default:match "^//[^/]*(.*)$" or default)
  return { url = default, expression = writer.quote(default) }
end

--- The services: the first is that of the document, further ones those that operations have. Each has `url`,
--- `expression` and `name`; each operation gets its `service`, a number.
function servers.of(doc, operations, import, taken)
  local options = { by_variable = {} }
  local first
  if import.base_url then
    first = { url = import.base_url, expression = writer.quote(import.base_url) }
  else
    first = server_of(doc, doc.root.servers, nil, taken, options)
  end
  first.name = import.service
  local services, by_url, names = { first }, { [first.url] = 1 }, { [first.name] = true }
  for _, operation in ipairs(operations) do
    operation.service = 1
    if type(operation.servers) == "table" and #operation.servers > 0 then
      local own = server_of(doc, operation.servers, import.base_url, taken, options)
      if not by_url[own.url] then
        local host = own.url:match "^https?://([^/:]+)" or "other"
        own.name = writer.unique(first.name .. "_" .. writer.name(host:match "[^.]+" or host), names)
        services[#services + 1] = own
        by_url[own.url] = #services
      end
      operation.service = by_url[own.url]
    end
  end
  return services, options
end

return servers
