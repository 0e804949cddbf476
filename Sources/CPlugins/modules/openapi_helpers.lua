-- Functions that imported scripts contain, those that they need: they write values as OpenAPI's styles say.
local helpers = {}

-- In the order in which they are written. `needs` names those that a function calls.
local all = {
  { name = "only", text = [[
-- A table with these names alone. Another one is an error of the caller.
local function only(given, names, what)
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  for name in pairs(given or {}) do
    if not known[name] then
      error(("unknown %s '%s': there are %s"):format(what or "parameter", name, table.concat(names, ", ")), 4)
    end
  end
  return given or {}
end]] },
  { name = "query_of", needs = { "only" }, text = [[
-- Parameters of the query, in the order of their names.
local function query_of(params, names)
  params = only(params, names)
  local query = {}
  for index, name in ipairs(names) do query[index] = { name, params[name] } end
  return query
end]] },
  { name = "one_of", text = [[
-- The value of an option, which has to be in a list.
local function one_of(name, value, list)
  for _, known in ipairs(list) do
    if value == known then return value end
  end
  error(("bad option '%s': '%s' is none of %s"):format(name, tostring(value), table.concat(list, ", ")), 3)
end]] },
  { name = "sorted", text = [[
-- The names of a table's fields, sorted.
local function sorted(fields)
  local names = {}
  for name in pairs(fields) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end]] },
  { name = "joined", needs = { "sorted" }, text = [[
-- A list as one text. An object becomes its names and values.
local function joined(value, separator, equals)
  if type(value) ~= "table" then return value ~= nil and tostring(value) or nil end
  local parts = {}
  for index, item in ipairs(value) do parts[index] = tostring(item) end
  for _, name in ipairs(sorted(value)) do
    parts[#parts + 1] = name .. (equals or separator) .. tostring(value[name])
  end
  return table.concat(parts, separator)
end]] },
  { name = "matrix", needs = { "joined" }, text = [[
-- A value of a path in the style `;name=value`.
local function matrix(name, value, explode)
  if type(value) ~= "table" then return ";" .. name .. "=" .. tostring(value) end
  if not explode then return ";" .. name .. "=" .. joined(value, ",") end
  if #value == 0 then return ";" .. joined(value, ";", "=") end
  return ";" .. name .. "=" .. joined(value, ";" .. name .. "=")
end]] },
  { name = "encoded", text = [[
-- A value as JSON.
local function encoded(value) return value ~= nil and rest.json.encode(value) or nil end]] },
  { name = "list", text = [[
-- An empty table as a list.
local function list(body) return body and next(body) == nil and rest.json.array {} or body end]] },
  { name = "deep", needs = { "sorted" }, text = [[
-- Adds `name[field]=value` for each field of an object, and `name[]=value` for each item of a list.
local function deep(list, name, value)
  if type(value) ~= "table" then
    list[#list + 1] = { name, value }
    return
  end
  for index, item in ipairs(value) do
    deep(list, type(item) == "table" and ("%s[%d]"):format(name, index - 1) or name .. "[]", item)
  end
  for _, field in ipairs(sorted(value)) do deep(list, ("%s[%s]"):format(name, field), value[field]) end
end]] },
  { name = "exploded", needs = { "sorted" }, text = [[
-- Adds the fields of an object as parameters of their own.
local function exploded(list, name, value)
  if type(value) ~= "table" or #value > 0 then
    list[#list + 1] = { name, value }
    return
  end
  for _, field in ipairs(sorted(value)) do list[#list + 1] = { field, value[field] } end
end]] },
  { name = "cookies", text = [[
-- A Cookie header of names and values, without those that are nil.
local function cookies(list)
  local parts = {}
  for _, pair in ipairs(list) do
    if pair[2] ~= nil then parts[#parts + 1] = pair[1] .. "=" .. tostring(pair[2]) end
  end
  return #parts > 0 and table.concat(parts, "; ") or nil
end]] },
  { name = "fields", needs = { "deep" }, text = [[
-- The fields of a form. A list repeats its name, unless the API takes lists as `name[]`.
local function fields(body, is_deep)
  if body == nil then return nil end
  local list = {}
  for _, name in ipairs(sorted(body)) do
    local value = body[name]
    if not is_deep and type(value) == "table" and #value > 0 then
      for _, item in ipairs(value) do deep(list, name, item) end
    else
      deep(list, name, value)
    end
  end
  return list
end]] },
  { name = "parts", needs = { "sorted" }, text = [[
-- The parts of a form with files. A field such as `{ file = "photo.jpg" }` is a part, other tables are JSON.
local function parts(body)
  if body == nil then return nil end
  local list = {}
  local function add(name, value)
    if type(value) ~= "table" then
      list[#list + 1] = { name = name, value = value }
    elseif value.file ~= nil or value.value ~= nil then
      list[#list + 1] = { name = name, file = value.file, value = value.value, filename = value.filename,
        content_type = value.content_type }
    elseif #value > 0 then
      for _, item in ipairs(value) do add(name, item) end
    else
      list[#list + 1] = { name = name, value = rest.json.encode(value), content_type = "application/json" }
    end
  end
  for _, name in ipairs(sorted(body)) do add(name, body[name]) end
  return list
end]] },
}

--- The names that a script uses itself, which options can't have.
function helpers.reserved_names()
  local names = { "base_url", "name", "rest", "transport", "service", "api", "options", "M", "require",
    "table" }
  local set = {}
  for _, name in ipairs(names) do set[name] = true end
  for _, one in ipairs(all) do set[one.name] = true end
  set.single_service = true
  for number = 2, 100 do
    set["service" .. number], set["single_service" .. number] = true, true
  end
  return set
end

--- Adds a helper, and those that it needs, to a set.
function helpers.need(set, name)
  if set[name] then return end
  set[name] = true
  for _, one in ipairs(all) do
    if one.name == name then
      for _, other in ipairs(one.needs or {}) do helpers.need(set, other) end
    end
  end
end

--- The text of the helpers in a set.
function helpers.text(set)
  local texts = {}
  for _, one in ipairs(all) do
    if set[one.name] then texts[#texts + 1] = one.text end
  end
  return table.concat(texts, "\n\n")
end

return helpers
