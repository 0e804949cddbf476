-- Splits the pieces of a stream into lines, and those into server-sent events.
local lines = {}

local longest = 1024 * 1024

--- Gives a function for the pieces of a body, which calls `fn` with each whole line. A line of more than a
--- megabyte is an error. Without an argument it gives `fn` the line that has no end.
function lines.splitter(fn)
  local held, size = {}, 0
  local function hold(text)
    held[#held + 1], size = text, size + #text
    if size > longest then error(("a line of the stream has more than %d bytes"):format(longest), 0) end
  end
  local function release()
    local line = table.concat(held)
    held, size = {}, 0
    return line
  end
  return function(piece)
    if not piece then
      if size > 0 then fn(release()) end
      return
    end
    local place = 1
    while true do
      local stop = piece:find("\n", place, true)
      if not stop then break end
      hold(piece:sub(place, stop - 1))
      fn((release():gsub("\r$", "")))
      place = stop + 1
    end
    if place <= #piece then hold(piece:sub(place)) end
  end
end

--- Gives a function for the pieces of a stream of events, which calls `fn(name, data)` for each event.
function lines.events(fn)
  local name, data, size = "message", {}, 0
  return lines.splitter(function(line)
    if line == "" then
      local event, text = name, table.concat(data, "\n")
      local is_empty = #data == 0 and event == "message"
      name, data, size = "message", {}, 0
      if not is_empty then fn(event, text) end
      return
    end
    local field, value = line:match "^([^:]*):? ?(.*)$"
    if field == "event" then name = value end
    if field ~= "data" then return end
    data[#data + 1], size = value, size + #value + 1
    if size > longest then error(("an event of the stream has more than %d bytes"):format(longest), 0) end
  end)
end

return lines
