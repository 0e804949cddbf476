-- The line or lines of a script that define an operation of an OpenAPI document.
local helpers = require "resthost.openapi_helpers"
local writer = require "resthost.script_writer"

local calls = {}

local function is_scalar(kind)
  return kind == "string" or kind == "integer" or kind == "number" or kind == "boolean"
end

local separators = { form = ",", spaceDelimited = " ", pipeDelimited = "|" }

-- `params.name`, or `params["a name"]`.
local function field(key)
  local text = writer.key(key)
  return text:sub(1, 1) == "[" and "params" .. text or "params." .. text
end

-- Whether a parameter is one that needs no function: a value, or a list that repeats its name.
local function is_plain(doc, one)
  if one.where ~= "query" or one.is_json or one.style ~= "form" or one.key ~= one.name then return false end
  local kind = doc:kind(one.schema)
  return is_scalar(kind) or one.explode and kind ~= "object"
end

-- The lines that make the query, and the name of its list.
local function query_lines(doc, operation, need)
  local items, calls_after = {}, {}
  for _, pair in ipairs(operation.query) do
    items[#items + 1] = ("{ %s, %s }"):format(writer.quote(pair[1]), writer.quote(pair[2]))
  end
  for _, one in ipairs(operation.params) do
    if one.where == "query" then
      local name, value, kind = writer.quote(one.name), field(one.key), doc:kind(one.schema)
      if one.is_json then
        items[#items + 1] = ("{ %s, %s(%s) }"):format(name, need "encoded", value)
      elseif one.style == "deepObject" then
        calls_after[#calls_after + 1] = ("%s(query, %s, %s)"):format(need "deep", name, value)
      elseif one.explode and (kind == "object" or kind == nil) and one.style == "form" then
        calls_after[#calls_after + 1] = ("%s(query, %s, %s)"):format(need "exploded", name, value)
      elseif one.explode or is_scalar(kind) then
        items[#items + 1] = ("{ %s, %s }"):format(name, value)
      else
        local separator = writer.quote(separators[one.style] or ",")
        items[#items + 1] = ("{ %s, %s(%s, %s) }"):format(name, need "joined", value, separator)
      end
    end
  end
  if #items + #calls_after == 0 then return {}, nil end
  local list = "{ " .. table.concat(items, ", ") .. " }"
  if #list > 88 then list = "{\n      " .. table.concat(items, ",\n      ") .. ",\n    }" end
  if #items == 0 then list = "{}" end
  if #calls_after == 0 then return {}, list end
  table.insert(calls_after, 1, "local query = " .. list)
  return calls_after, "query"
end

local function header_lines(doc, operation, need)
  local fields, jar = {}, {}
  for _, one in ipairs(operation.params) do
    local value, kind = field(one.key), doc:kind(one.schema)
    if one.where == "header" then
      if one.is_json then
        value = ("%s(%s)"):format(need "encoded", value)
      elseif kind ~= "string" then
        value = ("%s(%s, \",\"%s)"):format(need "joined", value, one.explode and ', "="' or "")
      end
      fields[#fields + 1] = ("[%s] = %s"):format(writer.quote(one.name), value)
    elseif one.where == "cookie" then
      if not is_scalar(kind) then value = ("%s(%s, \",\")"):format(need "joined", value) end
      jar[#jar + 1] = ("{ %s, %s }"):format(writer.quote(one.name), value)
    end
  end
  if #jar > 0 then
    fields[#fields + 1] = ("Cookie = %s { %s }"):format(need "cookies", table.concat(jar, ", "))
  end
  if #fields == 0 then return nil end
  local line = "{ " .. table.concat(fields, ", ") .. " }"
  return #line <= 88 and line or "{\n      " .. table.concat(fields, ",\n      ") .. ",\n    }"
end

local usual_types = {
  json = "application/json", form = "application/x-www-form-urlencoded", multipart = "multipart/form-data",
  text = "text/plain", bytes = "application/octet-stream",
}

local function body_fields(body, need, fields)
  local value = "body"
  if body.kind == "json" and not body.is_container then
    -- Definitions take objects and lists alone as JSON.
    fields[#fields + 1] = ("body = %s(body)"):format(need "encoded")
  elseif body.kind == "json" then
    if body.is_list then value = need "list" .. "(body)" end
    fields[#fields + 1] = "json = " .. value
  elseif body.kind == "form" then
    if body.has_nested_fields then
      value = need "fields" .. (body.has_deep_style and "(body, true)" or "(body)")
    end
    fields[#fields + 1] = "form = " .. value
  elseif body.kind == "multipart" then
    fields[#fields + 1] = ("multipart = %s(body)"):format(need "parts")
  else
    fields[#fields + 1] = (body.kind == "text" and "text" or "body") .. " = body"
  end
  local type = body.content_type
  local is_usual = type == usual_types[body.kind] and (body.kind ~= "json" or body.is_container)
  if not is_usual and not type:find("*", 1, true) then
    fields[#fields + 1] = ("content_type = body ~= nil and %s or nil"):format(writer.quote(type))
  end
end

-- How the value of a path's parameter is written; nil for a plain one.
local function path_value(doc, one, need)
  local kind = doc:kind(one.schema)
  local is_table = kind == "array" or kind == "object"
  local equals = one.explode and '"="' or '","'
  if one.style == "label" then
    local separator = one.explode and '"."' or '","'
    return ('"." .. %s(%s, %s, %s)'):format(need "joined", one.argument, separator, equals)
  elseif one.style == "matrix" then
    return ("%s(%s, %s, %s)"):format(
      need "matrix", writer.quote(one.name), one.argument, tostring(one.explode))
  elseif is_table then
    return ('%s(%s, ",", %s)'):format(need "joined", one.argument, equals)
  end
end

-- The function that gives a call's properties, as lines; nil if the template says everything.
local function function_lines(doc, operation, need)
  local has_params = #operation.params > 0
  local arguments = {}
  for _ in ipairs(operation.path_params) do arguments[#arguments + 1] = "_" end
  if operation.body then arguments[#arguments + 1] = "body" end
  if has_params then arguments[#arguments + 1] = "params" end
  local fields, lines, are_plain, names = {}, {}, #operation.query == 0, {}
  for index, one in ipairs(operation.params) do
    are_plain, names[index] = are_plain and is_plain(doc, one), one.key
  end
  if has_params and are_plain then
    fields[1] = ("query = %s(params, %s)"):format(need "query_of", writer.texts(names, "    "))
  else
    if has_params then
      lines[1] = ("params = %s(params, %s)"):format(need "only", writer.texts(names, "    "))
    end
    local before, query = query_lines(doc, operation, need)
    table.move(before, 1, #before, #lines + 1, lines)
    if query then fields[#fields + 1] = query == "query" and "query = query" or "query = " .. query end
    local headers = header_lines(doc, operation, need)
    if headers then fields[#fields + 1] = "headers = " .. headers end
  end
  if operation.body then body_fields(operation.body, need, fields) end
  if #fields == 0 and #operation.path_params > 0 then return nil end
  local result = #fields == 0 and "return {}" or ("return { %s }"):format(table.concat(fields, ", "))
  local is_one_line = not result:find "\n"
  if is_one_line and #result > 104 then
    result = ("return {\n      %s,\n    }"):format(table.concat(fields, ",\n      "))
  end
  lines[#lines + 1] = result
  return ("function(%s)"):format(table.concat(arguments, ", ")), lines
end

--- The definition of an operation in a script. `used` is the set of helpers that it needs.
function calls.of(doc, operation, service, used)
  local function need(name)
    helpers.need(used, name)
    return name
  end
  local head, lines = function_lines(doc, operation, need)
  local text = ("%s:define(%s, %s"):format(
    service, writer.quote(operation.method), writer.quote(operation.template))
  if #operation.name + #text + #(head or "") > 96 then text = text:gsub("%(", "(\n    ", 1) end
  if not head then
    text = text .. ")"
  elseif #lines == 1 and #text + #head + #lines[1] + #operation.name < 92 and not lines[1]:find "\n" then
    text = ("%s, %s %s end)"):format(text, head, lines[1])
  else
    text = ("%s, %s\n    %s\n  end)"):format(text, head, table.concat(lines, "\n    "))
  end
  local values, is_styled, arguments = {}, false, {}
  for index, one in ipairs(operation.path_params) do
    local value = path_value(doc, one, need)
    is_styled = is_styled or value ~= nil
    values[index], arguments[index] = value or one.argument, one.argument
  end
  if not is_styled then return ("  api.%s = %s"):format(operation.name, text) end
  for _, name in ipairs { operation.body and "body" or false, #operation.params > 0 and "params" or false } do
    if name then
      values[#values + 1], arguments[#arguments + 1] = name, name
    end
  end
  local wrapped = table.concat({
    "  do", "    local define = %s", "    function api.%s(%s)", "      return define(%s)", "    end", "  end",
  }, "\n")
  return wrapped:format(
    text:gsub("\n", "\n  "), operation.name, table.concat(arguments, ", "), table.concat(values, ", "))
end

return calls
