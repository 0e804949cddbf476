-- Keeps credentials for AWS and renews them before they expire. Helps the plugins that sign.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local sources = require "resthost.aws_sources"

local aws_credentials = {}

--- The options of a plugin that takes credentials.
aws_credentials.options = {
  { name = "access_key_id", type = "string", description = "The ID of the access key." },
  { name = "secret_access_key", type = "string", secret = true, description = "The secret of the key." },
  {
    name = "session_token", type = "string", secret = true,
    description = "The token that temporary credentials have.",
  },
  {
    name = "credentials", type = "function() -> table",
    description = "Gives `access_key_id`, `secret_access_key`, `session_token` and `expires_at` (Unix \z
      seconds), in place of the other options. It may wait, and is called again before they expire.",
  },
  {
    name = "profile", type = "string",
    description = "A profile of the file. Without any of these options: the environment, the profile in \z
      `AWS_PROFILE` or `default`, the container's endpoint, and the instance's metadata.",
  },
  {
    name = "credentials_file", type = "string",
    description = "The file of profiles; default: `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`.",
  },
}

local EARLY = 300 -- seconds before the end at which new credentials are loaded, while the old ones are used
local LATE = 30   -- seconds before the end at which requests wait for new ones
local PAUSE = 60  -- seconds until the next try when new ones could not be loaded early

local Source = {}
Source.__index = Source

-- One source for all that take credentials from the same place.
local shared = setmetatable({}, { __mode = "k" })

--- Where a plugin gets credentials, from its checked options. An error in them has the line of the script.
function aws_credentials.source(options, owner)
  if (options.access_key_id == nil) ~= (options.secret_access_key == nil)
    or options.session_token and not options.access_key_id then
    plugin.blame(("'%s' takes 'access_key_id' and 'secret_access_key' together"):format(owner))
  end
  local ways = 0
  for _, name in ipairs { "access_key_id", "credentials", "profile" } do
    if options[name] then ways = ways + 1 end
  end
  if ways > 1 then
    plugin.blame(("'%s' takes one of 'access_key_id', 'credentials' and 'profile'"):format(owner))
  end
  if options.access_key_id then
    local _, problem = sources.checked(options, "the call of '" .. owner .. "'")
    if problem then plugin.blame(problem) end
  end
  local key = options.credentials or ("%s\n%s"):format(options.profile or "", options.credentials_file or "")
  local source = not options.access_key_id and shared[key]
    or setmetatable({ options = options, notes = {} }, Source)
  if not options.access_key_id then shared[key] = source end
  return source
end

local function keep(self, found)
  local now = rest.now()
  self.found = found
  -- New credentials are used for a while, even if the clock of this machine says that they have expired.
  self.ends_at = found.expires_at and math.max(found.expires_at, now + LATE + PAUSE)
  self.renew_at = found.expires_at and math.max(found.expires_at - EARLY, now + PAUSE) or math.huge
  return found
end

--- Starts to load credentials, once for all that wait.
function Source:load()
  if self.job and not self.job.is_finished then return self.job end
  self.job = rest.spawn(function()
    local notes = table.move(self.notes, 1, #self.notes, 1, {})
    local is_well, found, problem = pcall(sources.elsewhere, self.options, notes)
    if is_well and found then return keep(self, found) end
    self.renew_at = rest.now() + PAUSE
    if self.found and self.ends_at > rest.now() then return self.found end
    return nil, is_well and problem or tostring(found)
  end)
  return self.job
end

--- Credentials that can be used now, or nil when they must be loaded first. Renews them early.
function Source:current()
  if not self.found then
    if self.job and not self.job.is_finished then return nil end
    self.notes = {}
    local found, problem = sources.at_once(self.options, self.notes)
    if found then return keep(self, found) end
    return nil, problem
  end
  local now = rest.now()
  local is_due = now >= self.renew_at
  if self.ends_at and (now >= self.ends_at or is_due and now > self.ends_at - LATE) then return nil end
  if is_due then self:load() end
  return self.found
end

--- Credentials, or nil and a message. It waits only while they are loaded.
function Source:get()
  local found, problem = self:current()
  if found or problem then return found, problem end
  return self:load():await()
end

--- Forgets credentials that a server refused as expired; false for those of the options.
function Source:forget(refused)
  if self.options.access_key_id then return false end
  if self.found == refused then self.found = nil end
  return true
end

return aws_credentials
