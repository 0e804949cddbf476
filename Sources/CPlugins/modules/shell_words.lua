-- Splits a text into the commands and words that a POSIX shell sees.
local urls = require "resthost.recorded_urls"

local shell = {}

-- Longer texts are refused.
local most_bytes, most_words = 1 << 20, 20000

local escapes = { n = "\n", t = "\t", r = "\r", a = "\a", b = "\b", f = "\f", v = "\v", e = "\27" }

-- The text of `$'…'` from a place, and the place behind it.
local function dollar_quoted(text, place)
  local parts = {}
  while place <= #text do
    local plain, next_place = text:match("^([^'\\]*)()", place)
    parts[#parts + 1], place = plain, next_place
    local byte = text:sub(place, place)
    if byte == "'" then return table.concat(parts), place + 1 end
    if byte == "" then return nil end
    local hex, after = text:match("^\\x(%x%x?)()", place)
    local code, after_code = text:match("^\\[uU](%x%x?%x?%x?)()", place)
    local octal, after_octal = text:match("^\\([0-7][0-7]?[0-7]?)()", place)
    if hex then
      parts[#parts + 1], place = string.char(tonumber(hex, 16)), after
    elseif code then
      parts[#parts + 1], place = utf8.char(tonumber(code, 16)), after_code
    elseif octal then
      parts[#parts + 1], place = string.char(tonumber(octal, 8) & 255), after_octal
    else
      local letter = text:sub(place + 1, place + 1)
      parts[#parts + 1], place = escapes[letter] or letter, place + 2
    end
  end
end

-- A text whose variables, `$NAME` and `${NAME}`, are marked.
local function with_variables(text) return (text:gsub("%${?([%a_][%w_]*)}?", urls.variable)) end

-- The text of `"…"` from a place, and the place behind it.
local function double_quoted(text, place)
  local parts = {}
  while place <= #text do
    local plain, next_place = text:match('^([^"\\]*)()', place)
    parts[#parts + 1], place = with_variables(plain), next_place
    local byte = text:sub(place, place)
    if byte == '"' then return table.concat(parts), place + 1 end
    if byte == "" then return nil end
    local letter = text:sub(place + 1, place + 1)
    if letter:find '["\\$`]' then
      parts[#parts + 1] = letter
    elseif letter ~= "\n" then
      parts[#parts + 1] = "\\" .. letter
    end
    place = place + 2
  end
end

--- Lists of words, one for each command; or nil and a message.
function shell.commands(text)
  if #text > most_bytes then return nil, ("the text is longer than %d bytes"):format(most_bytes) end
  text = text:gsub("\r\n", "\n")
  local commands, words, word, place, count = {}, {}, nil, 1, 0
  local function end_word()
    if word then
      words[#words + 1], count = table.concat(word), count + 1
    end
    word = nil
  end
  local function end_command()
    end_word()
    if #words > 0 then commands[#commands + 1] = words end
    words = {}
  end
  local function add(part)
    word = word or {}
    word[#word + 1] = part
  end
  while place <= #text do
    if count > most_words then return nil, ("there are more than %d words"):format(most_words) end
    local byte, pair = text:sub(place, place), text:sub(place, place + 1)
    if pair == "\\\n" then
      place = place + 2
    elseif pair == "$'" or byte == '"' then
      local read = byte == '"' and double_quoted or dollar_quoted
      local part, after = read(text, place + (byte == '"' and 1 or 2))
      if not part then return nil, "a quotation mark has no other half" end
      add(part)
      place = after
    elseif byte == "'" then
      local part, after = text:match("^'([^']*)'()", place)
      if not part then return nil, "a quotation mark has no other half" end
      add(part)
      place = after
    elseif byte == "\\" then
      add(text:sub(place + 1, place + 1))
      place = place + 2
    elseif byte:find "[ \t]" then
      end_word()
      place = place + 1
    elseif byte:find "[\n;&|]" then
      end_command()
      place = place + 1
    elseif byte == "#" and not word then
      place = text:find("\n", place, true) or #text + 1
    else
      local plain = text:match("^%$?[^%s'\"\\;&|$]+", place) or byte
      add(with_variables(plain))
      place = place + #plain
    end
  end
  end_command()
  return commands
end

return shell
