-- Keeps the token that requests carry: gets it once for any number of requests, renews it before it expires
-- and when an API refuses it, and stores it.
--
--   local keeper = token_keeper.new(service, {
--     name = "oauth2", owner = "id at https://login.example.com/token",
--     fetch = function(entry, partition) return { token = "…", lifetime = 3600 } end,
--   })
--   keeper:apply(options)
--
-- An entry has `token`, `lifetime` in seconds (nil: unknown) and what else `fetch` returned in it.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local remote = require "resthost.remote"
local scope = require "resthost.scope"
local token_file = require "resthost.token_file"

local keeper = {}
keeper.__index = keeper

-- The shortest time between two renewals that refusals cause, unless the lifetime of the token is shorter.
local between_refusals = 5
-- The time after a failed renewal in which requests get its error.
local pause = 1

-- By key, because keepers with the same key share their token.
local running, failures, was_read = {}, {}, {}
local failure_count = 0

-- Partitions have no end, so the failures of the past are forgotten now and then.
local function note_failure(key, err)
  failure_count = failure_count + 1
  if failure_count > 1000 then failures, failure_count = {}, 0 end
  failures[key] = { at = rest.now(), err = err }
end

function keeper:key_of(partition)
  if not self.per_partition or not partition then return self.key end
  return self.key .. "\0" .. partition
end

--- The entry of a partition, from memory or else from the file.
function keeper:entry(partition)
  local key = self:key_of(partition)
  local entry = rest.store:get(key)
  if not entry and self.file and not was_read[key] then
    was_read[key] = true
    entry = token_file.read(self.file, self.owner)
    if entry then self:remember(key, entry) end
  end
  return entry
end

function keeper:remember(key, entry)
  for _, name in ipairs { "token", "refresh_token" } do
    if entry[name] and #entry[name] >= 6 then rest.secret(entry[name]) end
  end
  -- A token that can't be renewed is of no use after its lifetime. Each partition has one.
  local ttl = not entry.refresh_token and entry.lifetime or nil
  local is_kept, err = rest.store:set(key, entry, { ttl = ttl })
  if not is_kept then rest.log.warn("the token is not kept", { plugin = self.name, reason = err }) end
end

--- Keeps what a login or a renewal gave.
function keeper:keep(entry, partition)
  entry.obtained = rest.now()
  self:remember(self:key_of(partition), entry)
  if not self.file then return true end
  local is_written, err = token_file.write(self.file, self.owner, entry)
  if not is_written then rest.log.warn("the token is not in its file", { file = self.file, reason = err }) end
  return is_written, err
end

-- Seconds for which a token is valid. Those of a clock that was set back don't count.
local function time_left(entry)
  if not entry or not entry.token then return 0 end
  local age = rest.now() - entry.obtained
  if age < 0 then return 0 end
  return entry.lifetime and entry.lifetime - age or math.huge
end

function keeper:is_early(entry)
  return time_left(entry) <= math.min(self.renew_before, (entry.lifetime or math.huge) / 2)
end

-- Waits for a renewal of the script that a reload has replaced: a refresh token may be used only once.
local function await_replaced_script(mark)
  for _ = 1, 300 do
    if not rest.store:get(mark) then return end
    rest.sleep(0.1)
  end
end

-- A token that others have brought: that script, or another program or a login, which write the file.
function keeper:brought(key, refused)
  local other = rest.store:get(key)
  local written = self.file and token_file.read(self.file, self.owner)
  if written and written.token ~= (other and other.token) then
    other = written
    self:remember(key, other)
  end
  if other and other.token ~= refused and not self:is_early(other) then return other end
end

function keeper:renewed(partition, refused)
  local key = self:key_of(partition)
  local mark = key .. "\0renewal"
  await_replaced_script(mark)
  local brought = self:brought(key, refused)
  if brought then return brought end
  rest.store:set(mark, true, { ttl = 60 })
  local has_run, fresh, err = pcall(self.fetch, rest.store:get(key), partition)
  rest.store:delete(mark)
  if not has_run then return nil, fresh end
  if not fresh then return nil, err end
  fresh.of_refusal = refused ~= nil
  self:keep(fresh, partition)
  return fresh
end

--- The request that renews the token of a partition: the one under way, or a new one.
function keeper:renewal(partition, refused)
  local key = self:key_of(partition)
  if running[key] and running[key].state ~= "completed" then return running[key] end
  local failure = failures[key]
  if failure and math.abs(rest.now() - failure.at) < pause then return rest.failed_request(failure.err) end
  running[key] = rest.custom_request {
    timeout = 90,
    start = function(complete)
      local entry, err = self:renewed(partition, refused)
      running[key] = nil
      if not entry then
        if type(err) == "string" then err = rest.error { user_message = err } end
        note_failure(key, err)
        return complete(err)
      end
      failures[key] = nil
      complete(rest.entity { content = "renewed" })
    end,
  }
  return running[key]:start()
end

-- Whether a refused token may be renewed: not when a renewal after a refusal has only just brought it.
local function may_renew(entry)
  local least = math.min(between_refusals, (entry.lifetime or math.huge) / 2)
  return not entry.of_refusal or math.abs(rest.now() - entry.obtained) >= least
end

-- Passes to the request with another token than that of its attempt: one that others have got meanwhile, or
-- that of a renewal.
function keeper:with_another_token(request, attempt)
  local entry = self:entry(attempt.partition)
  if time_left(entry) <= 0 or entry.token == attempt.token then
    local is_renewed, err = self:renewal(attempt.partition, attempt.token):await()
    if not is_renewed then return rest.use_response(rest.failure(err)) end
    entry = self:entry(attempt.partition)
  end
  attempt.token = entry and entry.token
  return rest.pass_to(request:repeated())
end

function keeper:decorate(resource, request)
  local attempt = { partition = resource.partition }
  local entry, first = self:entry(attempt.partition), request
  if time_left(entry) > 0 then
    attempt.token = entry.token
    if self:is_early(entry) then self:renewal(attempt.partition) end
  else
    first = request:chained(function() return self:with_another_token(request, attempt) end)
    -- It was built without a token, so it never starts. The chain keeps its place for the repeat.
    request:cancel()
  end
  return first:chained(function(info)
    local err = info.response.error
    if not err or err.http_status_code ~= 401 then return rest.use_this_response end
    local current = self:entry(attempt.partition)
    local is_same = current and current.token == attempt.token
    if is_same and not may_renew(current) then return rest.use_this_response end
    return self:with_another_token(request, attempt)
  end)
end

--- Adds the block that sends the token, to the origin of each resource only.
function keeper:apply(options)
  local service = self.service
  if not options.pattern and not service.base_url then
    plugin.blame(("'%s' needs a service with a 'base_url', or option 'pattern'"):format(self.name))
  end
  scope.configure(service, options, self.name, function(c)
    local origin, takes_token = remote.origin(c.url), true
    c:mutate_requests(function(draft)
      takes_token = not draft.headers.Authorization and remote.origin(draft.url) == origin
      local entry = takes_token and self:entry(draft.partition)
      if time_left(entry) > 0 then draft.headers.Authorization = "Bearer " .. entry.token end
    end)
    -- A request is decorated as soon as it is built. If a mutator changed its method, that one's blocks do it.
    c:decorate_requests(function(resource, request)
      if takes_token then return self:decorate(resource, request) end
      takes_token = true
      return request
    end)
  end)
end

local token_keeper = {}

--- Whose token it is: a name, and a digest of all that makes a token another one.
function token_keeper.owner(name, facts)
  local digest = rest.hex.encode(rest.crypto.sha256(table.concat(facts, "\n")))
  return ("%s (%s)"):format(name, digest:sub(1, 16))
end

--- A keeper for a service. `settings` has `name`, `owner` (whose token it is) and `fetch(entry, partition)`,
--- which gives an entry or nil and an error, and perhaps `store`, `file`, `renew_before`, `per_partition`.
function token_keeper.new(service, settings)
  settings.service = service
  settings.key = settings.store or ("%s %s"):format(settings.name, settings.owner)
  settings.renew_before = settings.renew_before or 30
  return setmetatable(settings, keeper)
end

--- The options that all plugins with a keeper have.
token_keeper.options = {
  {
    name = "renew_before", type = "number", default = 30, least = 0, most = 3600, unit = "seconds",
    description = "How long before its end a token is renewed, at most half of its lifetime.",
  },
  {
    name = "store", type = "string",
    description = "The key of the token in `rest.store`; by default it is made of the other options.",
  },
  {
    name = "transport", type = "table",
    description = "The connection settings for the server of the tokens, as those of `rest.service`.",
  },
}

return token_keeper
