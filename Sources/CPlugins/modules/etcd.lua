-- Reads, writes and watches keys of etcd, by its JSON gateway (version 3 of its API).
local rest = require "resthost"
local plugin = require "resthost.plugin"
local lines = require "resthost.lines"
local remote = require "resthost.remote"

local encode, decode = rest.base64.encode, rest.base64.decode

-- The first key behind all that begin with the prefix; a zero byte means the end of all keys.
local function behind(prefix)
  for place = #prefix, 1, -1 do
    local byte = prefix:byte(place)
    if byte < 255 then return prefix:sub(1, place - 1) .. string.char(byte + 1) end
  end
  return "\0"
end

-- Numbers of 64 bits come as texts.
local function integer(text) return math.tointeger(tonumber(text or 0)) end

local function entry(pair)
  return {
    key = decode(pair.key), value = decode(pair.value or ""), version = integer(pair.version),
    created = integer(pair.create_revision), modified = integer(pair.mod_revision),
    lease = pair.lease and integer(pair.lease) or nil,
  }
end

local function failure(message)
  return rest.error { user_message = "etcd failed", cause = { type = "etcd", message = message } }
end

local function call(service, path, body)
  local resource = service:resource("/v3/" .. path)
  local entity, err = resource:request("POST", { json = rest.json.object(body) }):await()
  if not entity then return nil, err end
  local answer = entity.json
  if type(answer.header) == "table" or type(answer.result) == "table" then return answer end
  return nil, failure(("the answer of %s is none of etcd"):format(resource.url))
end

local function range_of(key, options)
  local all = options.prefix and (key == "" and "\0" or key) or key
  return { key = encode(all), range_end = options.prefix and encode(behind(key)) or nil }
end

local function range(service, prefix, options)
  local body = range_of(prefix, { prefix = true })
  body.limit, body.revision = options.limit, options.revision
  local answer, err = call(service, "kv/range", body)
  if not answer then return nil, err end
  local entries = rest.json.array {}
  for number, pair in ipairs(answer.kvs or {}) do entries[number] = entry(pair) end
  return entries, integer(answer.header.revision)
end

local function get(service, key, options)
  local answer, err = call(service, "kv/range", { key = encode(key), revision = options.revision })
  if not answer then return nil, err end
  local pair = (answer.kvs or {})[1]
  return pair and entry(pair) or false
end

local function put(service, key, value, options)
  local pair = { key = encode(key), value = encode(value), lease = options.lease }
  if not options.if_revision then
    local answer, err = call(service, "kv/put", pair)
    return answer and integer(answer.header.revision), err
  end
  local answer, err = call(service, "kv/txn", {
    compare = { { key = pair.key, target = "MOD", result = "EQUAL", mod_revision = options.if_revision } },
    success = { { request_put = pair } },
  })
  if not answer then return nil, err end
  if not answer.succeeded then return false end
  return integer(answer.header.revision)
end

local function delete(service, key, options)
  local answer, err = call(service, "kv/deleterange", range_of(key, options))
  return answer and integer(answer.deleted), err
end

local function grant(service, seconds)
  local answer, err = call(service, "lease/grant", { TTL = seconds })
  return answer and integer(answer.ID), err
end

local function keep_alive(service, lease)
  local answer, err = call(service, "lease/keepalive", { ID = lease })
  if not answer then return nil, err end
  local left = integer((answer.result or {}).TTL)
  if left == 0 then return nil, failure(("the lease %d has ended"):format(lease)) end
  return left
end

local function revoke(service, lease)
  local answer, err = call(service, "lease/revoke", { ID = lease })
  return answer and true, err
end

-- Passes the events of one answer to `fn`, and gives whether to go on, or raises an error.
local function pass(line, watch, fn)
  local message = rest.json.decode(line)
  local result = type(message) == "table" and message.result
  if not result then error(failure("the stream has a line that is no answer: " .. line:sub(1, 200)), 0) end
  if result.compact_revision then
    watch.next = nil
    local reason = "the revisions before %s are compacted: read the keys again"
    error(failure(reason:format(result.compact_revision)), 0)
  end
  if result.canceled then error(failure("the watch was cancelled: " .. tostring(result.cancel_reason)), 0) end
  for _, event in ipairs(result.events or {}) do
    local changed = entry(event.kv)
    watch.next = changed.modified + 1
    local change = { type = event.type == "DELETE" and "delete" or "put", entry = changed }
    if event.prev_kv then change.previous = entry(event.prev_kv) end
    if fn(change) == false then return false end
  end
  if result.header then watch.next = math.max(watch.next or 0, integer(result.header.revision) + 1) end
  return true
end

-- etcd says every ten minutes that a quiet watch is alive.
local longest_silence = 1300

-- Watches until `fn` returns false. A connection that ends is made again at the revision behind the last one.
local function watch(service, key, fn, options)
  local state, stop, failures = { next = options.revision }, {}, 0
  while true do
    local request = range_of(key, options)
    request.start_revision, request.prev_kv, request.progress_notify = state.next, options.previous, true
    local definition = service:define("POST", "v3/watch", {
      json = { create_request = request },
      configure = function(c) c.timeouts.total, c.timeouts.idle = 0, longest_silence end,
    })
    local is_done = false
    local _, err = rest.stream(definition, lines.splitter(function(line)
      failures = 0
      if not pass(line, state, fn) then is_done = true end
      if is_done then error(stop, 0) end
    end))
    if is_done then return true end
    if err and remote.is_final(err, { etcd = true }) then return nil, err end
    failures = failures + 1
    rest.log.warn("the watch is made again", { key = key, error = err and tostring(err) })
    rest.sleep(remote.pause(failures))
  end
end

local prefix = {
  name = "prefix", type = "boolean", default = false,
  description = "Takes all keys that begin with the key.",
}
local revision = {
  name = "revision", type = "integer",
  description = "The revision to read; default: the latest.",
}

return plugin {
  name = "etcd",
  description = "Reads, writes and watches keys of etcd by its JSON gateway, which is at `base_url`.",
  functions = {
    {
      name = "get",
      signature = "(service: service, key: string, options?: { ... }) -> table | false | nil, error",
      call = get, options = { revision }, options_at = 3,
      description = "An entry with `key`, `value`, `version`, `created`, `modified` and `lease`, "
        .. "or false if there is none.",
    },
    {
      name = "range",
      signature = "(service: service, prefix: string, options?: { ... }) -> table[] | nil, any",
      call = range, options_at = 3,
      options = {
        revision,
        { name = "limit", type = "integer", least = 1, description = "The most entries." },
      },
      description = "The entries whose keys begin with the prefix, and the revision; or nil and an error.",
    },
    {
      name = "put",
      signature = "(service: service, key: string, value: string, options?: { ... })"
        .. " -> integer | false | nil, error",
      call = put, options_at = 4,
      options = {
        { name = "lease", type = "integer", description = "The lease with which the entry ends." },
        {
          name = "if_revision", type = "integer", least = 0,
          description = "Writes only if `modified` of the entry is this, or 0 for none; else gives false.",
        },
      },
      description = "Writes an entry, and gives the revision.",
    },
    {
      name = "delete",
      signature = "(service: service, key: string, options?: { ... }) -> integer | nil, error",
      call = delete, options = { prefix }, options_at = 3,
      description = "Deletes entries, and gives how many there were.",
    },
    {
      name = "grant", call = grant,
      signature = "(service: service, seconds: integer) -> integer | nil, error",
      description = "Makes a lease that ends unless it is kept alive, and gives its ID.",
    },
    {
      name = "keep_alive", signature = "(service: service, lease: integer) -> integer | nil, error",
      call = keep_alive, description = "Renews a lease, and gives the seconds that it has.",
    },
    {
      name = "revoke", signature = "(service: service, lease: integer) -> true | nil, error", call = revoke,
      description = "Ends a lease, and deletes its entries.",
    },
    {
      name = "watch",
      signature = "(service: service, key: string, fn: function(change: table), options?: { ... })"
        .. " -> true | nil, error",
      call = watch, options_at = 4,
      options = {
        prefix,
        {
          name = "revision", type = "integer",
          description = "The first revision to see; default: what comes.",
        },
        {
          name = "previous", type = "boolean", default = false,
          description = "Gives the entry before the change, too.",
        },
      },
      description = "Calls fn with each change: `type` (`put`, `delete`), `entry`, `previous`. It waits "
        .. "until fn returns false, and connects again after a failure. Compacted revisions are an error.",
    },
  },
}
