-- Makes a stream of changes of an API that has no events.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local page_styles = require "resthost.page_styles"
local all_pages = require("resthost.pages").all

local function failure(message, url)
  return rest.error {
    user_message = "Polling failed",
    cause = { type = "polling", message = message, url = url },
  }
end

-- The text that is kept of an item: its JSON, or a digest without `previous`.
local function version_of(item, options)
  local text = rest.json.encode(item)
  return options.previous and text or rest.hex.encode(rest.crypto.sha256(text))
end

local function previous_of(version, options)
  if not options.previous then return nil end
  return rest.json.decode(version)
end

-- The items of the list by key, and the keys in order, or nil and an error.
local function by_key(items, options, url)
  local found, keys = {}, {}
  if #items > options.max_items then
    local message = ("there are more than 'max_items' (%d) items: %s"):format(options.max_items, url)
    return nil, failure(message, url)
  end
  for number, item in ipairs(items) do
    local key = page_styles.field(item, options.key)
    if type(key) ~= "string" and type(key) ~= "number" then
      return nil, failure(("item %d of %s has no key at 'key'"):format(number, url), url)
    end
    key = tostring(key)
    if found[key] ~= nil then
      return nil, failure(("two items of %s have the key '%s'"):format(url, key), url)
    end
    found[key], keys[#keys + 1] = item, key
    if number % 200 == 0 then rest.sleep(0) end
  end
  return found, keys
end

-- The list of the API as it is now, or nil and an error. Without a change, `true`.
local function fetch(resource, options, state)
  local since = options.by == "updated_since" and state.polls % options.sweep ~= 0 and state.latest
  if since then resource = resource:with_param(options.parameter, since) end
  if options.pages then
    local items, err = all_pages(resource, options.pages)
    return items, err, not since
  end
  local entity, err = resource:load():await()
  if not entity then return nil, err end
  if options.by == "etag" and entity.etag and entity.etag == state.etag then return true end
  state.new_etag = entity.etag
  local items
  items, err = page_styles.items_of(entity, options, resource.url)
  return items, err, not since
end

-- The latest of the values that say when an item changed. Texts, such as dates of ISO 8601, compare as texts.
local function later(a, b)
  if type(b) ~= "string" and type(b) ~= "number" then return a end
  return (a == nil or type(a) ~= type(b) or b > a) and b or a
end

-- Passes a change to the script's function. It counts only if the function raises no error.
local function report(watch, change)
  local ok, err = pcall(watch.fn, change)
  if not ok then
    rest.log.error("the function for a change failed", { key = change.key, error = tostring(err) })
    watch.problem = watch.problem or err
  end
  return ok
end

-- Reports what differs between the state and the list, and changes the state with it.
local function compare(watch, found, keys, is_whole)
  local options, versions, state = watch.options, watch.state.versions, watch.state
  local is_first = state.polls == 0 and not options.initial
  local latest, changed = state.latest, false
  for number, key in ipairs(keys) do
    local item, old = found[key], versions[key]
    local version = version_of(item, options)
    local is_done = true
    if old ~= version then
      if not old and state.count >= options.max_items then
        local message = ("more than 'max_items' (%d) items are known"):format(options.max_items)
        watch.problem = failure(message, state.url)
        break
      end
      if not is_first then
        is_done = report(watch, {
          type = old and "changed" or "added", key = key, value = item,
          previous = old and previous_of(old, options),
        })
      end
      if is_done then
        versions[key], changed = version, true
        if not old then state.count = state.count + 1 end
      end
    end
    if is_done and options.by == "updated_since" then
      latest = later(latest, page_styles.field(item, options.field))
    end
    if number % 200 == 0 then rest.sleep(0) end
  end
  if is_whole and not watch.problem then
    local gone = {}
    for key in pairs(versions) do
      if found[key] == nil then gone[#gone + 1] = key end
    end
    table.sort(gone)
    for _, key in ipairs(gone) do
      local change = { type = "removed", key = key, previous = previous_of(versions[key], options) }
      if report(watch, change) then
        versions[key], state.count, changed = nil, state.count - 1, true
      end
    end
  end
  if not watch.problem then
    changed = changed or latest ~= state.latest or state.etag ~= state.new_etag
    state.latest, state.etag = latest, state.new_etag
  end
  return changed
end

local function save(watch)
  local state = watch.state
  local saved = {
    versions = state.versions, count = state.count, latest = state.latest, etag = state.etag,
    polls = state.polls, previous = watch.options.previous,
  }
  local ok, message = rest.store:set(watch.options.store, saved)
  if not ok then rest.log.warn("the state of the polling could not be kept", { reason = message }) end
end

local function poll(watch)
  local options, state = watch.options, watch.state
  watch.problem, state.new_etag = nil, nil
  local items, err, is_whole = fetch(watch.resource, options, state)
  local changed = false
  if items and items ~= true then
    local found, keys = by_key(items, options, watch.resource.url)
    if found then
      changed = compare(watch, found, keys, is_whole)
    else
      err = keys
    end
  end
  err = err or watch.problem
  if not err then state.polls = state.polls + 1 end
  if changed or not err and state.polls == 1 then save(watch) end
  return not err, err
end

local function begin_state(options, url)
  local saved = rest.store:get(options.store)
  if saved and saved.previous == options.previous then
    saved.url = url
    return saved
  end
  return { versions = {}, count = 0, polls = 0, url = url }
end

local function changes(resource, options, fn)
  if type(fn) ~= "function" then
    plugin.blame "'polling.changes' takes a function of a change as its third argument"
  end
  if options.by == "updated_since" and not (options.field and options.parameter) then
    plugin.blame "'polling.changes' by \"updated_since\" needs 'field' and 'parameter'"
  end
  options.store = options.store or "polling " .. resource.url
  local state = begin_state(options, resource.url)
  local watch = { resource = resource, options = options, fn = fn, state = state }
  local handle, failures = {}, 0
  local job = rest.spawn(function()
    while true do
      local ran, ok, err = pcall(poll, watch)
      if not ran then ok, err = false, ok end
      local wait = options.interval
      if ok then
        failures, handle.error = 0, nil
      else
        failures, handle.error = failures + 1, err
        local longest = math.max(options.max_wait, wait)
        wait = math.min(wait * 2 ^ math.min(failures, 30), longest)
        rest.log.warn("polling failed", { url = resource.url, error = tostring(err), again_in = wait })
      end
      rest.sleep(wait)
    end
  end)
  function handle.cancel() job:cancel() end
  return handle
end

return plugin {
  name = "polling",
  description = "Makes a stream of changes of an API that has no events.",
  functions = {
    {
      name = "changes",
      signature = "(resource: resource, options: { ... }, fn: function(change: table)) -> table",
      call = changes, options_at = 2,
      description = "Loads a list again and again, and calls fn with each change: its `type` is `added`, "
        .. "`changed` or `removed`, with `key`, `value` and `previous`. A change whose fn fails comes again. "
        .. "The state is kept in `rest.store`. The result has `cancel()` and the last `error`.",
      options = {
        {
          name = "key", type = "string | function(item: any) -> any", default = "id",
          description = "The path of an item's key, or a function that gives it.",
        },
        {
          name = "items", type = "string | function(content: any, entity: entity) -> table",
          description = "The path of the list, or a function that gives it; default: the content itself.",
        },
        {
          name = "pages", type = "table",
          description = "The options of `pages.all`, for a list in pages; `items` is then among them.",
        },
        {
          name = "interval", type = "number", default = 60, least = 0.1, unit = "seconds",
          description = "The time between two polls.",
        },
        {
          name = "by", type = '"hash" | "etag" | "updated_since"', default = "hash",
          description = "Compares all items, or none if the ETag is the same, or asks for changed ones only.",
        },
        {
          name = "parameter", type = "string",
          description = "For `updated_since`: the parameter with the time of the latest change.",
        },
        {
          name = "field", type = "string",
          description = "For `updated_since`: the path of that time in an item.",
        },
        {
          name = "sweep", type = "integer", default = 10, least = 1, most = 1000000,
          description = "For `updated_since`: one of so many polls reads the whole list, to find removals.",
        },
        {
          name = "initial", type = "boolean", default = false,
          description = "Reports the items of the first poll as added.",
        },
        {
          name = "previous", type = "boolean", default = true,
          description = "Keeps the items for `previous`; else only a digest of each.",
        },
        {
          name = "max_items", type = "integer", default = 10000, least = 1, most = 1000000,
          description = "The most items that are known; more are an error.",
        },
        {
          name = "max_wait", type = "number", default = 600, least = 1, unit = "seconds",
          description = "The longest time until the next poll after failures, each of which doubles it.",
        },
        {
          name = "store", type = "string",
          description = "The key in `rest.store`; default: made from the URL.",
        },
      },
    },
  },
}
