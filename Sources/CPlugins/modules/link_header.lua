-- Reads Link headers (RFC 8288).
local link_header = {}

-- The value of a parameter at a place, and the place behind it. A quoted string may have escapes.
local function parameter_value(text, place)
  if text:sub(place, place) ~= '"' then
    local token = text:match("^[^%s;,]*", place)
    return token, place + #token
  end
  local value = {}
  place = place + 1
  while place <= #text do
    local letter = text:sub(place, place)
    if letter == '"' then return table.concat(value), place + 1 end
    if letter == "\\" then
      place = place + 1
      letter = text:sub(place, place)
    end
    value[#value + 1] = letter
    place = place + 1
  end
  return nil, place
end

-- The parameters behind a target, and the place behind them. The first one of a name counts (section 3).
local function parameters_at(text, place)
  local parameters = {}
  while true do
    local name, behind = text:match("^%s*;%s*([^%s=;,\"]*)%s*()", place)
    if not name then return parameters, place end
    local value = ""
    if text:sub(behind, behind) == "=" then
      value, place = parameter_value(text, text:match("^=%s*()", behind))
      if not value then return parameters, place end
    else
      place = behind
    end
    name = name:lower()
    if name ~= "" and parameters[name] == nil then parameters[name] = value end
  end
end

--- The links of a list of header values, in order: tables with `target` and the parameters by name in lower
--- case. The rest of a value is left out where it is broken.
function link_header.parse(values)
  local links = {}
  for _, text in ipairs(values) do
    local place = 1
    while true do
      local target, behind = text:match("^[%s,]*<([^>]*)>()", place)
      if not target then break end
      local parameters
      parameters, place = parameters_at(text, behind)
      links[#links + 1] = { target = target, parameters = parameters }
      if not text:find("^%s*,", place) then break end
    end
  end
  return links
end

--- The target of the first link with a relation type, or nil. A link with `anchor` is about another page.
function link_header.find(values, relation)
  for _, link in ipairs(link_header.parse(values)) do
    for word in (link.parameters.rel or ""):lower():gmatch "%S+" do
      if word == relation and not link.parameters.anchor then return link.target end
    end
  end
end

return link_header
