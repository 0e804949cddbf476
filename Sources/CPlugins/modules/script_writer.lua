-- Writes Lua: names, quoted texts, values and comments, for modules that make scripts.
local rest = require "resthost"

local writer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or
repeat return then true until while]]):gmatch "%a+" do
  keywords[word] = true
end

--- The longest name that is made of a text.
writer.longest_name = 80

--- Words of a text in lower case, with `_` in between: `getPetById` is `get_pet_by_id`.
function writer.snake_case(text)
  text = text:gsub("(%u+)(%u%l)", "%1_%2"):gsub("([%l%d])(%u)", "%1_%2"):gsub("[^%w]+", "_")
  return (text:lower():gsub("_+", "_"):gsub("^_", ""):gsub("_$", ""))
end

--- A valid name in Lua, made of any text.
function writer.name(text, default)
  local name = writer.snake_case(text):sub(1, writer.longest_name):gsub("_$", "")
  if name == "" then name = default or "unnamed" end
  if name:find "^%d" then name = "n" .. name end
  return keywords[name] and name .. "_" or name
end

--- A name that isn't taken, and takes it: the name itself, or with a separator (`_`) and a number.
function writer.unique(name, taken, separator)
  -- The last number of a base is kept, so that very many equal names take no longer than others.
  local base, number = name, math.tointeger(taken[name]) or 1
  while taken[name] do
    number = number + 1
    name = base .. (separator or "_") .. number
  end
  taken[base], taken[name] = number, 1
  return name
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

local function escaped(byte) return escapes[byte] or ("\\%03d"):format(byte:byte()) end

--- A text in quotation marks.
function writer.quote(text) return '"' .. text:gsub('[%c"\\]', escaped) .. '"' end

--- A text of several lines in long brackets, which nothing in it can end.
function writer.long(text)
  local level = ""
  while text:find("]" .. level .. "]", 1, true) or text:sub(-#level - 1) == "]" .. level do
    level = level .. "="
  end
  local first = text:find "^\r?\n" and "\n" or ""
  return ("[%s[%s%s]%s]"):format(level, first, text, level)
end

--- A key of a table: `name`, or `["a name"]`.
function writer.key(text)
  if text:find "^[%a_][%w_]*$" and not keywords[text] then return text end
  return "[" .. writer.quote(text) .. "]"
end

--- The keys of a table that are texts, sorted.
function writer.keys(values)
  local keys = {}
  for key in pairs(values) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  return keys
end

--- A list of texts, over several lines if it is long.
function writer.texts(texts, indent)
  if #texts == 0 then return "{}" end
  local quoted = {}
  for index, text in ipairs(texts) do quoted[index] = writer.quote(text) end
  local line = table.concat(quoted, ", ")
  if #line < 64 then return "{ " .. line .. " }" end
  local lines, current = {}, nil
  for _, text in ipairs(quoted) do
    if current and #current + #text > 98 then
      lines[#lines + 1] = current
      current = nil
    end
    current = (current and current .. " " or indent .. "  ") .. text .. ","
  end
  lines[#lines + 1] = current
  return ("{\n%s\n%s}"):format(table.concat(lines, "\n"), indent)
end

local expressions = {}

-- Whether a table is a list. An empty one is, if its decoder marked it so.
local function is_list(value)
  local mark = getmetatable(value)
  if mark == "array" then return true end
  return mark ~= "object" and #value > 0
end

writer.is_list = is_list

--- An expression of Lua in a value, such as `options.token`, which is written as it is.
function writer.expression(text) return setmetatable({ text = text }, expressions) end

function writer.is_expression(value) return getmetatable(value) == expressions end

--- A value of JSON as Lua. `deepest` bounds how far its tables nest.
function writer.value(value, indent, deepest)
  indent, deepest = indent or "", deepest or 40
  local kind = type(value)
  if kind == "string" then return writer.quote(value) end
  if kind == "number" then
    if value ~= value then return "0/0" end
    if value == math.huge or value == -math.huge then return value > 0 and "math.huge" or "-math.huge" end
    return math.type(value) == "integer" and ("%d"):format(value) or ("%.17g"):format(value)
  end
  if kind == "boolean" then return tostring(value) end
  if kind ~= "table" then return "rest.null" end
  if getmetatable(value) == expressions then return value.text end
  if deepest <= 0 then return "{}" end
  local inner, parts = indent .. "  ", {}
  if is_list(value) then
    for _, item in ipairs(value) do parts[#parts + 1] = writer.value(item, inner, deepest - 1) end
    if #parts == 0 then return "rest.json.array {}" end
  else
    for _, key in ipairs(writer.keys(value)) do
      parts[#parts + 1] = ("%s = %s"):format(writer.key(key), writer.value(value[key], inner, deepest - 1))
    end
    if #parts == 0 then return "rest.json.object {}" end
  end
  local line = table.concat(parts, ", ")
  if #line + #indent < 90 and not line:find("\n", 1, true) then return "{ " .. line .. " }" end
  return ("{\n%s%s,\n%s}"):format(inner, table.concat(parts, ",\n" .. inner), indent)
end

--- A text without marks of HTML and line breaks, cut at a character's end.
function writer.sentence(text, most)
  if type(text) ~= "string" then return nil end
  text = text:sub(1, most * 4):gsub("<[/%a][^<>\n]*>", ""):gsub("%c+", " "):gsub("%s+", " ")
  text = text:match "^%s*(.-)%s*$"
  if #text > most then
    -- A byte from 0x80 to 0xBF continues a character of UTF-8.
    while most > 0 and (text:byte(most + 1) or 0) & 0xC0 == 0x80 do most = most - 1 end
    text = text:sub(1, most):match "^(.-)%s*$" .. "…"
  end
  return text ~= "" and text or nil
end

--- A description behind a type, which begins with `#` if it could be read as a part of the type.
function writer.behind_type(text)
  if not text then return "" end
  return (text:find "^%w" and " " or " # ") .. text
end

--- Lines of a comment, wrapped before column 110.
function writer.comment(text, mark, indent)
  local lines, line = {}, nil
  for word in text:gmatch "%S+" do
    if line and #indent + #mark + 1 + #line + 1 + #word > 110 then
      lines[#lines + 1] = indent .. mark .. line
      line = nil
    end
    line = line and line .. " " .. word or word
  end
  if line then lines[#lines + 1] = indent .. mark .. line end
  return lines
end

--- Whether a text can be the name of a header (RFC 9110 5.6.2).
function writer.is_header_name(text) return text:find "^[%w!#$%%&'*+.^_`|~-]+$" ~= nil end

--- Whether a value of JSON is one of its own, neither null nor missing.
function writer.is_value(value) return value ~= nil and value ~= rest.null end

return writer
