-- Declares a plugin: options with types, which are checked where they are given, and functions.
--
--   local plugin = require "resthost.plugin"
--   return plugin {
--     name = "greeting",
--     description = "Sends a greeting with each request.",
--     options = { { name = "text", type = "string", required = true, description = "The greeting." } },
--     use = function(service, options)
--       service:configure("**", { description = "greeting" }, function(c) c.headers["X-Greeting"] = options.text end)
--     end,
--   }
local rest = require "resthost"

local plugin = {}

-- The number of insertions, deletions, replacements and swaps of neighbours that make one name of the other.
local function distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local now = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      now[j] = math.min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        now[j] = math.min(now[j], before[j - 2] + 1)
      end
    end
    before, row = row, now
  end
  return row[#b]
end

--- The name that is most like the given one, if one is alike at all.
function plugin.nearest(name, names)
  local best, least = nil, math.max(1, #name // 3) + 1
  for _, known in ipairs(names) do
    local far = distance(name:lower(), known:lower())
    if far < least then best, least = known, far end
  end
  return best
end

-- The files of plugins, and of copies that a script's folder has, as the debug library names them.
local files = { [debug.getinfo(1).source] = true }

--- Raises an error at the line of the script that called a plugin.
local function blame(message)
  for level = 2, 30 do
    local info = debug.getinfo(level)
    if not info then break end
    local is_plugin = files[info.source] or info.source:find "^@resthost%."
    if info.what ~= "C" and not is_plugin then error(message, level) end
  end
  error(message, 0)
end

plugin.blame = blame

-- The alternatives of a type such as `string | "a" | table<string, string>`, split outside of brackets.
local function alternatives(type_text)
  local found, depth, start = {}, 0, 1
  for place = 1, #type_text do
    local byte = type_text:sub(place, place)
    if byte:find "[<({]" then
      depth = depth + 1
    elseif byte:find "[>)}]" then
      depth = depth - 1
    elseif byte == "|" and depth == 0 then
      found[#found + 1] = type_text:sub(start, place - 1):match "^%s*(.-)%s*$"
      start = place + 1
    end
  end
  found[#found + 1] = type_text:sub(start):match "^%s*(.-)%s*$"
  return found
end

local is_basic = { string = true, number = true, boolean = true, table = true, ["function"] = true }

-- Whether a value is of one alternative of a type.
local function matches(value, wanted)
  local kind = type(value)
  if wanted == "any" then return true end
  if wanted == "integer" then return math.type(value) == "integer" end
  if wanted == "true" or wanted == "false" then return tostring(value) == wanted and kind == "boolean" end
  local word = wanted:match '^"(.*)"$'
  if word then return value == word end
  local item = wanted:match "^%(?(.-)%)?%[%]$"
  if item then
    if kind ~= "table" then return false end
    for _, inner in ipairs(value) do
      local is_of = false
      for _, one in ipairs(alternatives(item)) do is_of = is_of or matches(inner, one) end
      if not is_of then return false end
    end
    return true
  end
  if wanted:find "^table" or wanted:find "^{" then return kind == "table" end
  if wanted:find "^function" then return kind == "function" end
  if is_basic[wanted] then return kind == wanted end
  -- Names of the host's classes, and `pattern`, whose texts `service:configure` checks.
  return kind == "userdata" or kind == "table" or wanted == "pattern" and (kind == "string" or kind == "function")
end

local function list(names) return table.concat(names, ", ") end

--- Checks options against their descriptions, and returns them with the defaults. An error has the line of
--- the script that gave them.
function plugin.check(values, descriptions, owner)
  if values == nil then values = {} end
  if type(values) ~= "table" then
    blame(("'%s' takes a table of options, not a %s"):format(owner, type(values)))
  end
  local names, checked = {}, {}
  for _, option in ipairs(descriptions) do names[#names + 1] = option.name end
  for name in pairs(values) do
    if type(name) ~= "string" then
      blame(("unknown option of type %s for '%s': options have names"):format(type(name), owner))
    end
    local is_known = false
    for _, known in ipairs(names) do is_known = is_known or known == name end
    if not is_known then
      local near = plugin.nearest(name, names)
      blame(("unknown option '%s'%s"):format(
        name, near and (": did you mean '%s'?"):format(near) or (": '%s' knows %s"):format(owner, list(names))))
    end
  end
  for _, option in ipairs(descriptions) do
    local value = values[option.name]
    if value == nil then
      if option.required then
        blame(("option '%s' is missing in the call of '%s'"):format(option.name, owner))
      end
      value = option.default
    else
      local is_of = false
      for _, one in ipairs(alternatives(option.type)) do is_of = is_of or matches(value, one) end
      if not is_of then
        local got = type(value) == "string" and option.type:find '"' and ("'%s'"):format(value) or type(value)
        blame(("bad option '%s' to '%s' (%s expected, got %s)"):format(option.name, owner, option.type, got))
      end
      if type(value) == "number" then
        if value ~= value or option.least and value < option.least or option.most and value > option.most then
          local most = option.most and (option.least and " to %s" or "%s at most"):format(option.most) or " or more"
          blame(("bad option '%s' to '%s' (%s%s)"):format(option.name, owner, option.least or "", most))
        end
      elseif type(value) == "table" and option.fields then
        value = plugin.check(value, option.fields, ("%s.%s"):format(owner, option.name))
      elseif type(value) == "string" and option.secret and #value >= 6 then
        value = rest.secret(value)
      end
    end
    checked[option.name] = value
  end
  return checked
end

-- A function of the module, which checks its table of options before it runs.
local function checked(module_name, description)
  if not description.options then return description.call end
  local owner, place = ("%s.%s"):format(module_name, description.name), description.options_at
  return function(...)
    local arguments = table.pack(...)
    arguments[place] = plugin.check(arguments[place], description.options, owner)
    return description.call(table.unpack(arguments, 1, math.max(arguments.n, place)))
  end
end

--- The module that a plugin's file returns. `service:use` calls `use` of it.
local function declare(_, definition)
  local module = { description = definition }
  -- The file calls this as its last act, so it is on the stack no longer.
  if definition.use then files[debug.getinfo(definition.use).source] = true end
  for _, description in ipairs(definition.functions or {}) do
    files[debug.getinfo(description.call).source] = true
    module[description.name] = checked(definition.name, description)
  end
  if definition.use then
    function module.use(service, options)
      definition.use(service, plugin.check(options, definition.options or {}, definition.name))
    end
  end
  return module
end

return setmetatable(plugin, { __call = declare })
