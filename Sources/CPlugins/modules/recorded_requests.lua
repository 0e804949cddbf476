-- Makes a script of requests that were written down: lines of curl, a recording, a collection.
local rest = require "resthost"
local document = require "resthost.openapi_document"
local helpers = require "resthost.openapi_helpers"
local script = require "resthost.openapi_script"
local secrets = require "resthost.recorded_secrets"
local stubs = require "resthost.openapi_stubs"
local urls = require "resthost.recorded_urls"
local writer = require "resthost.script_writer"

local recorded = {}

-- Further requests are left out.
local most_requests = 5000

local ignored_headers = {
  host = true, ["content-length"] = true, connection = true, ["accept-encoding"] = true,
}

--- An API without requests, for the file that the options name.
function recorded.new(options, warnings, title)
  local base = options.output:match "([^/]*)$"
  local doc = document.open { openapi = "3.0.0" }
  doc.warnings = warnings
  return {
    doc = doc, base = base, variable = script.name(base), title = title, options = options, operations = {},
    services = {}, by_origin = {}, service_names = {}, server_options = {}, security = {}, places = {},
    taken = helpers.reserved_names(),
    options_by_key = {}, secret_options = {}, by_placeholder = {},
    names = { service = true, services = true, expose = true },
  }
end

-- The value with options of the script in place of variables in its texts.
local function with_options(api, value, depth)
  depth = depth or 0
  local is_data = type(value) == "table" and getmetatable(value) ~= nil and not writer.is_expression(value)
  if is_data and depth < 40 then
    for key, item in pairs(value) do value[key] = with_options(api, item, depth + 1) end
    return value
  end
  if type(value) ~= "string" or not value:find(urls.variable_pattern) then return value end
  local parts, place = {}, 1
  local function add(text)
    if text ~= "" then parts[#parts + 1] = writer.quote(text) end
  end
  for first, name, after in value:gmatch("()" .. urls.variable_pattern .. "()") do
    add(value:sub(place, first - 1))
    local option = api.by_placeholder[name]
    if not option then
      option = writer.unique(writer.name(name, "variable"), api.taken)
      api.by_placeholder[name] = option
      table.insert(api.server_options, { name = option, default = "" })
    end
    parts[#parts + 1], place = option, after
  end
  add(value:sub(place))
  -- Lua has too few registers for a long chain of `..`.
  if #parts > 50 then return writer.expression("table.concat { " .. table.concat(parts, ", ") .. " }") end
  return writer.expression(table.concat(parts, " .. "))
end

-- The fields of the definition that say what the body is.
local function body_fields(api, service, request, content_type, add)
  local text = request.text
  local essence = content_type and content_type:lower():match "^%s*([^;%s]*)" or ""
  if request.parts and #request.parts > 0 then
    local list = {}
    for index, part in ipairs(request.parts) do
      local copy = {}
      for key, value in pairs(part) do copy[key] = value end
      if type(copy.value) == "string" then copy.value = secrets.field(api, service, copy.name, copy.value) end
      copy.value = with_options(api, copy.value)
      list[index] = copy
    end
    return add("multipart", list)
  elseif request.file then
    add("file", request.file)
    return add("content_type", content_type ~= "" and content_type or nil)
  elseif not text or text == "" then
    return
  end
  if essence:find "json" then
    local value = rest.json.decode((text:gsub("\1", "\\u0001"):gsub("\2", "\\u0002")))
    if type(value) == "table" then
      add("json", secrets.body(api, service, value))
      return essence ~= "application/json" and add("content_type", content_type)
    end
  elseif essence == "application/x-www-form-urlencoded" and text:find "^[^=&%s]+=" then
    local fields = urls.pairs_of(text)
    for _, pair in ipairs(fields) do
      pair[2] = pair[2] == rest.null and "" or secrets.field(api, service, pair[1], pair[2])
      pair[2] = with_options(api, pair[2])
    end
    return add("form", fields)
  end
  add(essence:find "^text/" and "text" or "body", text)
  return add("content_type", content_type)
end

-- The definition of a request, as a line or lines of the script.
local function define(_, operation, service)
  local lines = {}
  for _, field in ipairs(operation.fields) do
    lines[#lines + 1] = ("%s = %s"):format(field[1], writer.value(field[2], "    "))
  end
  local start = ("  api.%s = %s:define(%s, %s"):format(
    operation.name, service, writer.quote(operation.method), writer.quote(operation.template))
  if #start > 104 then start = start:gsub(":define%(", ":define(\n    ", 1) end
  if #lines == 0 then return start .. ")" end
  local line = table.concat(lines, ", ")
  if #start + #line < 98 and not line:find "\n" then return ("%s, { %s })"):format(start, line) end
  return ("%s, {\n    %s,\n  })"):format(start, table.concat(lines, ",\n    "))
end

--- Adds a request: method, url, headers, and one of text, parts and file; perhaps a name and a description.
function recorded.add(api, request)
  if #api.operations >= most_requests then
    return api.doc:warn("only the first %d requests are imported", most_requests)
  end
  local service, path, query, user = urls.place(api, request.url)
  if not service or not urls.is_method(request.method) then
    return api.doc:warn("the request '%s %s' is left out: %s", request.method:sub(1, 20),
      request.url:sub(1, 100), service and "its method is no valid one" or path)
  end
  user = user or request.user
  if user and user ~= "" then secrets.user(api, service, request.is_digest) end
  if request.key then
    local take = request.key.is_query and secrets.parameter or secrets.header
    take(api, service, request.key.name, "", true)
  end
  local fields, headers, content_type = {}, {}, request.default_type
  local function add(name, value)
    if value ~= nil then fields[#fields + 1] = { name, with_options(api, value) } end
  end
  for _, header in ipairs(request.headers or {}) do
    local lower = header[1]:lower()
    if lower == "content-type" then
      content_type = header[2]:gsub("%c", "")
    elseif not ignored_headers[lower] and not secrets.header(api, service, header[1], header[2]) then
      local plain = header[2]:gsub(urls.variable_pattern, "")
      if writer.is_header_name(header[1]) and not plain:find "[%z\1-\8\10-\31\127]" then
        headers[#headers + 1] = { header[1], with_options(api, header[2]) }
      else
        api.doc:warn("the header '%s' is left out: it has no valid name or value", header[1]:sub(1, 100))
      end
    end
  end
  local parameters = {}
  for _, pair in ipairs(urls.pairs_of(query)) do
    if not secrets.parameter(api, service, pair[1], pair[2]) then parameters[#parameters + 1] = pair end
    pair[2] = with_options(api, pair[2])
  end
  local template, components, path_params = urls.path(path, request.has_colons)
  add("path", components)
  if #headers > 0 then add("headers", headers) end
  if #parameters > 0 then add("query", parameters) end
  body_fields(api, service, request, content_type, add)
  local words = path:gsub(urls.variable_pattern, "by_%1"):gsub("%%%x%x", "_")
  local name = request.name or request.method .. "_" .. words
  table.insert(api.operations, {
    name = writer.unique(writer.name(name, request.method:lower()), api.names), method = request.method,
    path = "/" .. path, template = template, service = service, fields = fields, summary = request.summary,
    description = request.description, path_params = path_params, params = {}, result = {},
    define = define,
  })
end

--- The files of an API.
function recorded.finish(api, options, has_types)
  if #api.operations == 0 then
    local reason = api.doc.warnings[1]
    return nil, "no request could be imported" .. (reason and ": " .. reason or "")
  end
  api.is_untyped = not has_types
  local others = {}
  if has_types then
    others[1] = { suffix = "_types.lua", text = stubs.of(api, script.credentials(api)) }
  end
  return script.result(api, options.output, others)
end

--- The files of a list of requests.
function recorded.files(requests, options, warnings, title)
  local api = recorded.new(options, warnings, title)
  for _, request in ipairs(requests) do recorded.add(api, request) end
  return recorded.finish(api, options, false)
end

return recorded
