-- A token in a file, for the next start and for logins in a terminal. The file is JSON: an owner, which says
-- whose token it is, and the entry.
local rest = require "resthost"

local token_file = {}

local most_bytes = 1024 * 1024

local function content(path)
  local text = rest.read_file(path)
  if not text or text == "" then return {} end
  local value = #text <= most_bytes and rest.json.decode(text)
  if type(value) ~= "table" or type(value.entry) ~= "table" or type(value.owner) ~= "string" then
    return nil, ("%s does not hold a token of this plugin: remove it, or choose another file"):format(path)
  end
  return value
end

local function is_text_or_nil(value) return value == nil or type(value) == "string" end
local function is_number_or_nil(value) return value == nil or type(value) == "number" end

--- The entry in a file; nil when it has none of this owner.
function token_file.read(path, owner)
  local value, err = content(path)
  if not value then
    rest.log.warn("the file of tokens is not used", { file = path, reason = err })
    return nil
  end
  local entry = value.owner == owner and value.entry
  if not entry or type(entry.token) ~= "string" or type(entry.obtained) ~= "number" then return nil end
  if not is_text_or_nil(entry.refresh_token) or not is_number_or_nil(entry.lifetime) then return nil end
  return entry
end

--- Replaces the entry in a file.
function token_file.write(path, owner, entry)
  local value, err = content(path)
  if not value then return nil, err end
  return rest.write_file(path, rest.json.encode { owner = owner, entry = entry }, { mode = "0600" })
end

return token_file
