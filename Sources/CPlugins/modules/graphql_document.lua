-- Finds the operations of a GraphQL document, without parsing the rest.
local rest = require "resthost"

local graphql_document = {}

-- The place behind a string or a comment that begins here, or nil.
local function behind_text(text, place)
  if text:find("^#", place) then return (text:find("[\r\n]", place) or #text) + 1 end
  if text:find('^"""', place) then
    place = place + 3
    while true do
      local escape, stop = text:find('\\"""', place, true), text:find('"""', place, true)
      if not stop then return #text + 1 end
      if not escape or escape > stop then return stop + 3 end
      place = escape + 4
    end
  end
  if not text:find('^"', place) then return nil end
  place = place + 1
  while place <= #text and not text:find('^["\r\n]', place) do
    place = place + (text:find("^\\", place) and 2 or 1)
  end
  return place + 1
end

local is_operation = { query = true, mutation = true, subscription = true }

--- The operations of a document, in order: tables with `kind` and `name`. A fragment is none.
function graphql_document.operations(text)
  local found, depth, place, is_inside = {}, 0, 1, false
  while true do
    place = text:find('[#"{}()%[%]%a_]', place)
    if not place then return found end
    local letter, word = text:sub(place, place), text:match("^[%a_][%w_]*", place)
    local behind = behind_text(text, place)
    if behind then
      place = behind
    elseif word then
      place = place + #word
      if depth == 0 and not is_inside then
        is_inside = true
        local name = text:match("^%s*([%a_][%w_]*)", place)
        if is_operation[word] then found[#found + 1] = { kind = word, name = name } end
      end
    else
      if letter == "{" and depth == 0 and not is_inside then found[#found + 1] = { kind = "query" } end
      depth = depth + (letter:find "[{(%[]" and 1 or -1)
      if letter == "}" and depth == 0 then is_inside = false end
      place = place + 1
    end
  end
end

--- A document with the operation that is asked for, or nil and a message.
function graphql_document.open(text, operation)
  local operations, names = graphql_document.operations(text), {}
  for _, one in ipairs(operations) do
    names[#names + 1] = one.name or "(without a name)"
    if operation and one.name == operation or not operation and #operations == 1 then
      return {
        text = text, kind = one.kind, operation = operation,
        hash = rest.hex.encode(rest.crypto.sha256(text)),
        id = rest.hex.encode(rest.crypto.sha256(text .. "\0" .. (operation or ""))),
      }
    end
  end
  if #operations == 0 then return nil, "the GraphQL document has no operation" end
  local list = table.concat(names, ", ")
  if operation then
    return nil, ("the GraphQL document has no operation '%s': it has %s"):format(operation, list)
  end
  return nil, ("the GraphQL document has several operations, %s: say which one as 'operation'"):format(list)
end

return graphql_document
