-- Lists and watches objects of a Kubernetes cluster, with the service account of the pod.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local lines = require "resthost.lines"
local remote = require "resthost.remote"
local all_pages = require("resthost.pages").all

local in_cluster = "https://kubernetes.default.svc"
local account = "/var/run/secrets/kubernetes.io/serviceaccount/"

-- Tokens of service accounts change: the file is read again each minute.
local token_age = 60

local function failure(message)
  return rest.error { user_message = "Kubernetes failed", cause = { type = "kubernetes", message = message } }
end

local function token_reader(options)
  if options.token then return function() return options.token end end
  local path, token, read_at = options.token_file, nil, nil
  return function()
    if not read_at or rest.now() - read_at >= token_age then
      local text, message = rest.read_file(path)
      if text then
        token = text:gsub("%s+$", "")
        if #token >= 6 then rest.secret(token) end
      elseif not token then
        error(("the token of the service account can't be read: %s"):format(message), 0)
      end
      read_at = rest.now()
    end
    return token
  end
end

local function cluster(options)
  local ca_file = options.ca_file or options.url == in_cluster and account .. "ca.crt" or nil
  local ok, service = pcall(rest.service, {
    name = options.name, base_url = options.url, transport = { ca_file = ca_file },
  })
  if not ok then plugin.blame(service) end
  if options.token == false then return service end
  local token = token_reader(options)
  service:configure("**", { description = "kubernetes" }, function(c)
    c:mutate_requests(function(draft) draft.headers["Authorization"] = "Bearer " .. token() end)
  end)
  return service
end

local function selected(service, path, options)
  return service:resource(path):with_params {
    labelSelector = options.label_selector, fieldSelector = options.field_selector,
  }
end

local final = { kubernetes = true, page_limit = true, bad_page = true }

local function has_name(object)
  local meta = type(object) == "table" and object.metadata
  return type(meta) == "table" and type(meta.name) == "string"
end

-- The ID of an object, which no other one has.
local function id_of(object)
  local meta = object.metadata
  return meta.uid or (meta.namespace or "") .. "/" .. meta.name
end

local function is_gone(err) return err and err.http_status_code == 410 end

-- The objects, and the version of the list. The API keeps the rest of a list for minutes only; then it says
-- 410, and the list begins again, once.
local function list(service, path, options)
  local version, kind, api_version
  local pages = {
    style = "cursor", parameter = "continue", items = "items", limit = options.limit,
    max_items = options.max_items,
    next = function(content)
      local meta = type(content.metadata) == "table" and content.metadata or {}
      version, kind, api_version = meta.resourceVersion, content.kind, content.apiVersion
      return meta.continue
    end,
  }
  local objects, err = all_pages(selected(service, path, options), pages)
  if is_gone(err) then objects, err = all_pages(selected(service, path, options), pages) end
  if not objects then return nil, err end
  for _, object in ipairs(objects) do
    if not has_name(object) then return nil, failure "an object of the list has no name" end
    object.kind = object.kind or kind and (kind:gsub("List$", ""))
    object.apiVersion = object.apiVersion or api_version
  end
  return objects, version
end

-- Calls the script's function with a change, and keeps the object's version and names in mind.
local function tell(watch, kind, object)
  local id, meta, known = id_of(object), object.metadata, nil
  if kind ~= "DELETED" then
    known = {
      version = meta.resourceVersion, kind = object.kind, apiVersion = object.apiVersion,
      metadata = { name = meta.name, namespace = meta.namespace, uid = meta.uid },
    }
  end
  watch.count = watch.count + (known and 1 or 0) - (watch.known[id] and 1 or 0)
  if watch.count > watch.options.max_items then
    error(failure(("there are more objects than 'max_items' (%d)"):format(watch.options.max_items)), 0)
  end
  watch.known[id] = known
  if watch.fn { type = kind, object = object } == false then watch.is_done = true end
end

-- Reads the list, and tells what is different from the objects that are known.
local function catch_up(service, path, watch)
  local objects, version = list(service, path, watch.options)
  if not objects then return nil, version end
  if not version then return nil, failure(("the list at %s has no version"):format(path)) end
  local seen = {}
  for _, object in ipairs(objects) do
    if watch.is_done then return true end
    local id = id_of(object)
    local known = watch.known[id]
    seen[id] = true
    if not known then
      tell(watch, "ADDED", object)
    elseif known.version ~= object.metadata.resourceVersion then
      tell(watch, "MODIFIED", object)
    end
  end
  local gone = {}
  for id, known in pairs(watch.known) do
    if not seen[id] then gone[#gone + 1] = known end
  end
  for _, object in ipairs(gone) do
    object.version = nil
    if not watch.is_done then tell(watch, "DELETED", object) end
  end
  watch.version = version
  return true
end

-- Handles a line of a watch.
local function receive(watch, line)
  local event = rest.json.decode(line)
  local object = type(event) == "table" and event.object
  if type(object) ~= "table" then
    error(failure("the watch has a line that is no event: " .. line:sub(1, 200)), 0)
  end
  if event.type == "ERROR" then
    error(rest.error {
      http_status_code = math.tointeger(object.code), user_message = "The watch ended",
      cause = { type = "kubernetes", message = tostring(object.message) },
    }, 0)
  end
  watch.version = type(object.metadata) == "table" and object.metadata.resourceVersion or watch.version
  if event.type == "BOOKMARK" then return end
  if not has_name(object) then error(failure "an object of the watch has no name", 0) end
  tell(watch, event.type, object)
end

-- Watches from the known version on until the stream ends, or gives nil and an error.
local function follow(service, path, watch)
  local options, stop = watch.options, {}
  local query = {
    watch = "1", allowWatchBookmarks = "true", resourceVersion = watch.version,
    timeoutSeconds = options.timeout,
    labelSelector = options.label_selector, fieldSelector = options.field_selector,
  }
  local definition = service:define("GET", path, {
    query = query,
    configure = function(c) c.timeouts.total, c.timeouts.idle = 0, options.timeout + 30 end,
  })
  local began = rest.now()
  local read = lines.splitter(function(line)
    receive(watch, line)
    watch.failures = 0
    if watch.is_done then error(stop, 0) end
  end)
  local entity, err = rest.stream(definition, read)
  if watch.is_done then return true end
  if not entity then return nil, err end
  if rest.now() - began < 1 then rest.sleep(1) end
  return true
end

local function watch(service, path, fn, options)
  local state = { fn = fn, options = options, known = {}, count = 0, failures = 0 }
  while not state.is_done do
    local ok, err
    if not state.version then
      local ran
      ran, ok, err = pcall(catch_up, service, path, state)
      if not ran then return nil, type(ok) == "userdata" and ok or failure(tostring(ok)) end
    else
      ok, err = follow(service, path, state)
    end
    if is_gone(err) then
      state.version = nil
    elseif not ok and remote.is_final(err, final) then
      return nil, err
    end
    if not ok then
      state.failures = state.failures + 1
      rest.log.warn("the watch begins again", { path = path, error = tostring(err) })
      rest.sleep(remote.pause(state.failures))
    elseif not state.is_done then
      rest.sleep(0)
    end
  end
  return true
end

local selectors = {
  {
    name = "label_selector", type = "string",
    description = "Selects by labels, such as `app=web,tier!=test`.",
  },
  {
    name = "field_selector", type = "string",
    description = "Selects by fields, such as `status.phase=Running`.",
  },
  { name = "limit", type = "integer", default = 500, least = 1, description = "The objects of one answer." },
  {
    name = "max_items", type = "integer", default = 100000, least = 1,
    description = "The most objects; one more is an error.",
  },
}

return plugin {
  name = "kubernetes",
  description = "Lists and watches objects of a Kubernetes cluster, with the service account of the pod.",
  functions = {
    {
      name = "cluster", signature = "(options?: { ... }) -> service", call = cluster, options_at = 1,
      description = "Declares the service of a cluster, by default the pod's. Its files need `--allow-read`.",
      options = {
        { name = "name", type = "string", default = "kubernetes", description = "The name of the service." },
        {
          name = "url", type = "string", default = in_cluster,
          description = "The address of the API.",
        },
        {
          name = "token", type = "string | false", secret = true,
          description = "A token in place of a file, or false for none, as with `kubectl proxy`.",
        },
        {
          name = "token_file", type = "string", default = account .. "token",
          description = "The file of the token, which is read again each minute.",
        },
        {
          name = "ca_file", type = "string",
          description = "The certificates to trust; default: those of the pod for the default `url`.",
        },
      },
    },
    {
      name = "list", signature = "(service: service, path: string, options?: { ... }) -> table[] | nil, any",
      call = list, options = selectors, options_at = 3,
      description = "The objects at a path, such as `/api/v1/namespaces/web/pods`, and the list's version; "
        .. "or nil and an error.",
    },
    {
      name = "watch",
      signature = "(service: service, path: string, fn: function(event: table), options?: { ... })"
        .. " -> true | nil, error",
      call = watch, options_at = 4,
      options = {
        {
          name = "timeout", type = "integer", default = 300, least = 1, most = 86400, unit = "seconds",
          description = "The time after which the server ends a watch, which then goes on with another.",
        },
        table.unpack(selectors),
      },
      description = "Calls fn with each object (`ADDED`), then with each change: `type`, `object`. It waits "
        .. "until fn returns false. After a failure it tells what was missed; the object of a missed "
        .. "deletion has its names only.",
    },
  },
}
