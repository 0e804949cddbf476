-- Asks a GraphQL API. Each query with its variables is a resource, so its data is cached and shared.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local document_of = require("resthost.graphql_document").open
local exchange = require "resthost.graphql_exchange"
local lines = require "resthost.lines"

-- The settings of `use`, by the name of the service.
local apis = {}

local most_documents = 1000

local function api_of(service)
  return apis[service.name]
    or plugin.blame(("call service:use('graphql', { … }) first for the service '%s'"):format(service.name))
end

local function open(text, operation)
  local document, message = document_of(text, operation)
  return document or plugin.blame(message)
end

-- The document with its ID among those that the script has used.
local function remembered(api, text, operation)
  local document = open(text, operation)
  local known = api.documents[document.id]
  if known then return known end
  if api.count >= most_documents then
    plugin.blame(("more than %d GraphQL documents: put values into variables"):format(most_documents))
  end
  api.documents[document.id], api.count = document, api.count + 1
  return document
end

local function resource_of(api, id, variables, partition)
  local resource = api.service:resource(api.path .. "/" .. id, { partition = partition })
  if not variables or next(variables) == nil then return resource end
  return resource:with_param("variables", rest.json.encode(variables))
end

local function unknown_document()
  return rest.error {
    http_status_code = 404,
    user_message = "No such GraphQL document",
    cause = { type = "graphql", message = "the script has not used this document" },
  }
end

-- The data of a resource that stands for a query.
local function compute(api, params, resource)
  local document = api.documents[params.document]
  if not document then return nil, unknown_document() end
  local text = (rest.url.parse(resource.url).params or {}).variables
  local variables = text and type(text) == "string" and rest.json.decode(text)
  if text and (type(variables) ~= "table" or getmetatable(variables) == "array") then
    return nil, rest.error {
      http_status_code = 400,
      user_message = "Wrong variables",
      cause = { type = "graphql", message = "the parameter 'variables' has to be one JSON object" },
    }
  end
  return exchange.perform(api, document, variables, resource.partition)
end

local function partial_data(err)
  local data = err.json.data
  return type(data) == "table" and data or nil
end

local function query(service, text, variables, options)
  local api = api_of(service)
  local document = open(text, options.operation)
  local data, err
  if document.kind == "mutation" then
    data, err = exchange.perform(api, document, variables, options.partition)
  elseif document.kind == "query" then
    document = remembered(api, text, options.operation)
    local resource = resource_of(api, document.id, variables, options.partition)
    if options.fresh then resource:invalidate() end
    data, err = resource:get()
  else
    plugin.blame "a subscription is no query: use 'graphql.subscribe' or 'graphql.subscription'"
  end
  if data then return data end
  return nil, err, partial_data(err)
end

local function resource_for(service, text, variables, options)
  local api = api_of(service)
  local document = remembered(api, text, options.operation)
  if document.kind ~= "query" then plugin.blame("only a query is a resource, no " .. document.kind) end
  return resource_of(api, document.id, variables, options.partition)
end

-- Passes each event to `fn`, and gives true at the end of the subscription, or nil and an error.
local function subscribe(service, text, variables, fn, options)
  local api = api_of(service)
  local document = open(text, options.operation)
  local definition = service:define("POST", api.path):setting {
    json = exchange.body(document, variables),
    headers = { Accept = "text/event-stream" },
    configure = function(c) c.timeouts.total = 0 end,
  }
  local is_done, events, body = false, 0, {}
  local stop = {}
  local read = lines.events(function(name, data)
    events = events + 1
    if name == "complete" then is_done = true end
    if name == "next" then
      local answer = rest.json.decode(data)
      local content, err = exchange.outcome(answer)
      if fn(content or partial_data(err), err) == false then is_done = true end
    end
    if is_done then error(stop, 0) end
  end)
  local entity, err = rest.stream(definition, function(piece)
    if events == 0 and #body < 100 then body[#body + 1] = piece end
    read(piece)
  end)
  if is_done then return true end
  if not entity then return nil, exchange.failure_of(err) end
  local answer = events == 0 and rest.json.decode(table.concat(body))
  if type(answer) == "table" then
    local _, refusal = exchange.outcome(answer)
    if refusal then return nil, refusal end
  end
  return nil, exchange.failure("the stream of the subscription ended before it was complete")
end

-- A resource whose content is the data of the latest event.
local function subscription(service, text, variables, options)
  local api = api_of(service)
  local document = remembered(api, text, options.operation)
  local parameters = { query = text, operationName = options.operation }
  if variables and next(variables) ~= nil then parameters.variables = rest.json.encode(variables) end
  if document.kind ~= "subscription" then
    plugin.blame("only a subscription is a stream, no " .. document.kind)
  end
  return service:resource(api.path, { partition = options.partition }):with_params(parameters)
end

-- Refuses a subscription of a client of the gateway that the script has not used itself.
local function check_subscription(api, resource, request)
  local params = rest.url.parse(resource.url).params or {}
  local document = type(params.query) == "string" and document_of(params.query, params.operationName)
  if document and document.kind == "subscription" and api.documents[document.id] then return request end
  return rest.failed_request(unknown_document())
end

local function data_of_event(response)
  if not response.ok then return response end
  local entity = response.entity
  if entity.headers["Event-Type"] == "complete" then
    return rest.failure(exchange.failure "the subscription is complete")
  end
  local data, err = exchange.outcome(entity.content)
  if not data then return rest.failure(err) end
  return rest.success(rest.entity {
    content = data, headers = entity.headers, content_type = "application/json",
  })
end

local function use(service, options)
  local api = {
    service = service, path = (options.path:gsub("/$", "")), documents = {}, count = 0,
    persisted = options.persisted, queues = {},
    batch = options.batch == true and 10 or options.batch or 1,
  }
  for name, text in pairs(options.operations or {}) do
    if type(name) ~= "string" or not name:find "^[%w_-]+$" or type(text) ~= "string" then
      plugin.blame "'operations' of 'graphql' has documents by name: { viewer = '{ viewer { login } }' }"
    end
    local document = open(text)
    if document.kind ~= "query" then plugin.blame(("the operation '%s' is no query"):format(name)) end
    api.documents[name] = document
  end
  apis[service.name] = api
  service:computed(api.path .. "/{document}", { expiration_time = options.expiration_time, follow = false },
    function(params, found) return compute(api, params, found) end)
  service:configure(api.path, { methods = "GET", description = "graphql" }, function(c)
    c.stream = "events"
    c:decorate_requests(function(found, request) return check_subscription(api, found, request) end)
    c.pipeline.model:add(rest.response_transformer(data_of_event, "data of a subscription"))
  end)
end

local which = {
  {
    name = "operation", type = "string",
    description = "The name of the operation, for a document that has several.",
  },
  {
    name = "partition", type = "string",
    description = "The partition of the resource, such as a user's name.",
  },
}

local fresh = {
  name = "fresh", type = "boolean", default = false,
  description = "Asks the API even if the data is up to date.",
}

local arguments = "service: service, query: string, variables?: table"

return plugin {
  name = "graphql",
  description = "Asks a GraphQL API: cached queries, mutations, persisted documents, batches, subscriptions.",
  options = {
    { name = "path", type = "string", default = "/graphql", description = "The path of the API." },
    {
      name = "operations", type = "table<string, string>",
      description = "Queries by name, which clients of the gateway may read as `PATH/NAME?variables={…}`.",
    },
    {
      name = "persisted", type = "boolean", default = false,
      description = "Sends the SHA-256 of a document, and its text only when the API doesn't know it.",
    },
    {
      name = "batch", type = "boolean | integer", default = false,
      description = "Sends queries that begin together as one list, of this length at most; `true` is 10.",
    },
    {
      name = "expiration_time", type = "number", least = 0, unit = "seconds",
      description = "How long the data of a query stays up to date; default: as configured.",
    },
  },
  use = use,
  functions = {
    {
      name = "query", signature = ("(%s, options?: { ... }) -> table | nil, error, table?"):format(arguments),
      call = query, options = { fresh, table.unpack(which) }, options_at = 4,
      description = "Waits for the data of a query, or of a mutation, which is never cached. "
        .. "After an error it also gives partial data; `err.path` and `err.cause.errors` say where it failed.",
    },
    {
      name = "resource", signature = ("(%s, options?: { ... }) -> resource"):format(arguments),
      call = resource_for, options = which, options_at = 4,
      description = "The resource of a query and its variables.",
    },
    {
      name = "subscribe",
      signature = ("(%s, fn: function(data: table?, err: error?), options?: { ... }) -> true | nil, error")
        :format(arguments:gsub("%?", "", 1)),
      call = subscribe, options = which, options_at = 5,
      description = "Calls fn with the data of each event (server-sent events, POST), and waits for the end. "
        .. "False from fn ends the subscription.",
    },
    {
      name = "subscription", signature = ("(%s, options?: { ... }) -> resource"):format(arguments),
      call = subscription, options = which, options_at = 4,
      description = "The resource of a subscription (server-sent events, GET). It connects again by itself.",
    },
  },
}
