-- Tokens in a file, for the next start and for logins in a terminal. The file is JSON: an owner, which says
-- whose tokens they are, and an entry for each partition.
local rest = require "resthost"

local token_file = {}

local most_bytes = 1024 * 1024

local function content(path)
  local text = rest.read_file(path)
  -- A new file may be empty, because it was made with its mode.
  if not text or text == "" then return { tokens = {} } end
  local value = #text <= most_bytes and rest.json.decode(text)
  if type(value) ~= "table" or type(value.tokens) ~= "table" or type(value.owner) ~= "string" then
    return nil, ("%s does not hold tokens of this plugin: remove it, or choose another file"):format(path)
  end
  return value
end

local function is_text_or_nil(value) return value == nil or type(value) == "string" end
local function is_number_or_nil(value) return value == nil or type(value) == "number" end

--- The entry of a partition; nil when the file has none for this owner.
function token_file.read(path, owner, partition)
  local value, err = content(path)
  if not value then
    rest.log.warn("the file of tokens is not used", { file = path, reason = err })
    return nil
  end
  local entry = value.owner == owner and value.tokens[partition or ""]
  if type(entry) ~= "table" or type(entry.token) ~= "string" or type(entry.obtained) ~= "number" then
    return nil
  end
  if not is_text_or_nil(entry.refresh_token) or not is_number_or_nil(entry.lifetime) then return nil end
  return entry
end

--- Writes the entry of a partition. Those of another owner go.
function token_file.write(path, owner, partition, entry)
  local value, err = content(path)
  if not value then return nil, err end
  if value.owner ~= owner then value = { owner = owner, tokens = {} } end
  value.tokens[partition or ""] = entry
  return rest.write_file(path, rest.json.encode(value))
end

return token_file
