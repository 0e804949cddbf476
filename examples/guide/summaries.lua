-- Finds words in a text: the work of the pool for `transformer_module.lua`.
local rest = require "resthost"

local function words(text)
  local seen, list = {}, rest.json.array {}
  for word in text:gmatch "%a+" do
    word = word:lower()
    if not seen[word] then
      seen[word] = true
      list[#list + 1] = word
    end
  end
  table.sort(list)
  return list
end

return {
  description = "summaries",
  input = "json",
  transform = function(report)
    rest.store:incr "summaries"
    return { words = words(rest.json.encode(report)) }
  end,
}
