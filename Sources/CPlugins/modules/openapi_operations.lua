-- The operations of an OpenAPI document: names, parameters, bodies and results, for modules that write them.
local document = require "resthost.openapi_document"
local body = require "resthost.openapi_body"
local writer = require "resthost.script_writer"

local operations = {}

-- Further operations aren't imported.
local most_operations = 10000

local methods = { "get", "head", "post", "put", "patch", "delete", "options", "trace", "query" }

-- Names of fields in the table that the script returns.
local reserved = { service = true, services = true, expose = true }

-- A name for an operation without an identifier: `get_users_by_login` for `GET /users/{login}`.
local function name_of_path(method, path)
  return method .. "_" .. path:gsub("{([^}]*)}", "by_%1")
end

local function text(value, most) return writer.sentence(value, most) end

-- The parameters of an operation, with those of its path that it doesn't replace.
local function parameters_of(doc, item, operation)
  local found, places = {}, {}
  for _, list in ipairs { document.table(item.parameters), document.table(operation.parameters) } do
    for _, node in ipairs(list) do
      node = doc:resolve(node)
      if type(node.name) == "string" and type(node["in"]) == "string" then
        local identity = node["in"] .. " " .. node.name
        places[identity] = places[identity] or #found + 1
        found[places[identity]] = node
      end
    end
  end
  return found
end

local default_styles = { path = "simple", header = "simple", query = "form", cookie = "form" }

local function parameter(doc, node)
  local where = node["in"]
  local schema, is_json = node.schema, false
  if type(node.content) == "table" then
    local kind = document.keys(node.content)[1]
    schema, is_json = kind and document.table(node.content[kind]).schema, true
  end
  local style = document.text(node.style) or default_styles[where]
  local explode = node.explode
  if type(explode) ~= "boolean" then explode = style == "form" or style == "deepObject" end
  return {
    name = node.name, where = where, required = where == "path" or node.required == true,
    schema = schema or {}, style = style, explode = explode, is_json = is_json,
    description = text(node.description, 200), example = doc:example(node),
    is_deprecated = node.deprecated == true,
  }
end

-- Headers that have a meaning of their own in OpenAPI, and are no parameters.
local ignored_headers = { accept = true, ["content-type"] = true, authorization = true }

-- Splits a path into the text of a template, in which names are valid in Lua, and the query that some
-- documents put into it.
local function template_of(path, parameters, taken)
  path = path:gsub("#.*$", "")
  local query
  path, query = path:match "^([^?]*)%??(.*)$"
  local names, known = {}, {}
  for _, one in ipairs(parameters) do
    if one.where == "path" then known[one.name] = one end
  end
  local template = path:gsub("{([^{}]*)}", function(name)
    -- Some documents write styles into the path, too: `{.name}`, `{;name*}` (RFC 6570 3.2).
    if not known[name] then name = name:match "^[.;]?([^*]*)%*?$" or name end
    local one = known[name]
    if not one then
      one = { name = name, where = "path", required = true, schema = { type = "string" }, style = "simple" }
      known[name] = one
    end
    if not one.argument then
      one.argument = writer.unique(writer.name(name, "value"), taken)
      names[#names + 1] = one
    end
    return "\1" .. one.argument .. "\2"
  end)
  -- A brace without its other half is no name.
  template = template:gsub("^/", ""):gsub("[{}]", "_"):gsub("\1", "{"):gsub("\2", "}")
  return template, names, query
end

-- Whether a path has a segment `.` or `..`, which leads to another path.
local function has_dot_segment(path)
  for segment in path:gsub("%%2[eE]", "."):gmatch "[^/?#]+" do
    if segment == "." or segment == ".." then return true end
  end
  return false
end

-- Static parameters of a path such as `/search?type=all`.
local function static_query(text_of_query)
  local pairs_found = {}
  for part in text_of_query:gmatch "[^&]+" do
    local name, value = part:match "^([^=]*)=?(.*)$"
    if not part:find "[{}]" then pairs_found[#pairs_found + 1] = { name, value } end
  end
  return pairs_found
end

local is_scalar = { string = true, integer = true, number = true, boolean = true }

-- The result that a response brings. A single value as JSON needs a transformer of its own.
local function result_node(doc, node, status)
  local media, kind = body.media(doc, node.content)
  if not media then return { status = status } end
  return {
    status = status, schema = media.schema, kind = kind, example = doc:example(media),
    content_type = media.content_type,
    is_single = kind == "json" and is_scalar[doc:kind(media.schema)] or false,
  }
end

-- The successful response: the one with the lowest status of 2xx, else the default.
local function result_of(doc, operation)
  local responses = document.table(operation.responses)
  for _, status in ipairs(document.keys(responses)) do
    if status:find "^2" then
      local number = status:find "^%d%d%d$" and math.tointeger(tonumber(status)) or 200
      return result_node(doc, doc:resolve(responses[status]), number)
    end
  end
  return result_node(doc, doc:resolve(responses.default), 200)
end

-- Divides parameters into those of a path and those of the table that a call gets, by unique keys.
local function sort_parameters(doc, nodes)
  local others, keys = {}, {}
  local path = {}
  for _, node in ipairs(nodes) do
    local one = parameter(doc, node)
    if one.where == "path" then
      path[#path + 1] = one
    elseif one.where == "querystring" or not default_styles[one.where] then
      doc:warn("parameter '%s' in '%s' is left out", one.name, one.where)
    elseif one.where ~= "query" and not writer.is_header_name(one.name) then
      doc:warn("the %s '%s' is left out: it has no valid name", one.where, one.name:sub(1, 100))
    elseif one.where ~= "header" or not ignored_headers[one.name:lower()] then
      one.key = keys[one.name] and writer.unique(one.name .. "_" .. one.where, keys) or one.name
      keys[one.key] = true
      others[#others + 1] = one
    end
  end
  -- Required parameters come first, then the order of the document.
  local ordered = {}
  for _, is_required in ipairs { true, false } do
    for _, one in ipairs(others) do
      if one.required == is_required then ordered[#ordered + 1] = one end
    end
  end
  return path, ordered
end

local function operation_of(doc, path, method, item, operation, taken)
  local all, params = sort_parameters(doc, parameters_of(doc, item, operation))
  local arguments = { body = true, params = true }
  local template, names, query = template_of(path, all, arguments)
  local identifier = document.text(operation.operationId) or name_of_path(method, path)
  return {
    name = writer.unique(writer.name(identifier, method), taken), id = document.text(operation.operationId),
    method = method:upper(), path = path, template = template, path_params = names, params = params,
    query = static_query(query), body = body.of(doc, operation.requestBody),
    result = result_of(doc, operation),
    summary = text(operation.summary, 120) or text(item.summary, 120),
    description = text(operation.description, 600), is_deprecated = operation.deprecated == true,
    servers = operation.servers or item.servers, security = operation.security,
    tag = document.text(document.table(operation.tags)[1]),
  }
end

--- All operations by path and method.
function operations.of(doc)
  local found, taken = {}, {}
  for name in pairs(reserved) do taken[name] = true end
  for _, path in ipairs(document.keys(doc.root.paths)) do
    if has_dot_segment(path) or path:find "%c" then
      doc:warn("the path '%s' has '.', '..' or control characters in it, and is left out", path:sub(1, 100))
    elseif path:find "^/" then
      local item = doc:resolve(doc.root.paths[path])
      for _, method in ipairs(methods) do
        if type(item[method]) == "table" then
          if #found >= most_operations then
            doc:warn("only the first %d operations are imported", most_operations)
            return found
          end
          found[#found + 1] = operation_of(doc, path, method, item, item[method], taken)
        end
      end
    elseif not path:find "^x%-" then
      doc:warn("the path '%s' doesn't begin with a slash, and is left out", path:sub(1, 100))
    end
  end
  if #found == 0 then document.fail "the document has no operations in 'paths'" end
  return found
end

return operations
