-- Sends GraphQL operations and reads the answers: for `resthost.graphql`.
local rest = require "resthost"

local graphql_exchange = {}

--- An error without an answer of the API.
function graphql_exchange.failure(message)
  return rest.error { user_message = "GraphQL failed", cause = { type = "graphql", message = message } }
end

local failure = graphql_exchange.failure

local function list_of_errors(answer)
  local errors = type(answer) == "table" and answer.errors
  return type(errors) == "table" and type(errors[1]) == "table" and errors or nil
end

-- The error for the list of errors in an answer. The first one counts.
local function error_of(answer, status)
  local errors = list_of_errors(answer)
  local first = errors[1]
  return rest.error {
    user_message = "GraphQL error",
    http_status_code = status,
    entity = rest.entity { content = answer, content_type = "application/json" },
    cause = {
      type = "graphql", errors = errors,
      message = type(first.message) == "string" and first.message or "an error without a message",
      path = type(first.path) == "table" and first.path or nil,
      code = type(first.extensions) == "table" and first.extensions.code or nil,
    },
  }
end

--- The data of an answer, or nil and an error.
function graphql_exchange.outcome(answer)
  if list_of_errors(answer) then return nil, error_of(answer) end
  if type(answer) ~= "table" or type(answer.data) ~= "table" then
    return nil, failure "the answer has neither 'data' nor 'errors': is this the path of a GraphQL API?"
  end
  return answer.data
end

--- The error of a request, with the errors of GraphQL if its body has some.
function graphql_exchange.failure_of(err)
  if not list_of_errors(err.json) then return err end
  return error_of(err.json, err.http_status_code)
end

--- The body of a request.
function graphql_exchange.body(document, variables)
  return {
    query = document.text,
    operationName = document.operation,
    variables = variables and next(variables) ~= nil and variables or nil,
  }
end

-- Sends JSON, and gives the JSON of the answer, or nil and an error.
local function post(api, json, partition, may_repeat)
  local resource = api.service:resource(api.path, { partition = partition })
  local entity, err = resource:request("POST", {
    json = json,
    headers = { Accept = "application/graphql-response+json, application/json;q=0.9" },
    idempotency_key = may_repeat and resource:configuration_for("POST").retry ~= false,
  }):await()
  if entity then return entity.json end
  return nil, err
end

-- Sends what waits in a queue, and gives each its part of the answer.
local function flush(api, waiting, partition)
  local bodies = {}
  for number, one in ipairs(waiting) do bodies[number] = one.body end
  local answers, err = post(api, #bodies == 1 and bodies[1] or bodies, partition, true)
  if #bodies == 1 then answers = answers and { answers } end
  if answers and #answers ~= #bodies then
    err = failure(("the API answered a batch of %d queries with %d answers: does it know batches?")
      :format(#bodies, #answers))
    answers = nil
  end
  for number, one in ipairs(waiting) do
    one.complete(answers and rest.entity { content = { answers[number] } } or err)
  end
end

-- Sends a query together with those that begin in the same tick.
local function post_in_batch(api, body, partition)
  local key = partition or ""
  local entity, err = rest.custom_request {
    start = function(complete)
      local queue = api.queues[key]
      if not queue then
        queue = {}
        api.queues[key] = queue
        rest.after(0, function()
          if api.queues[key] == queue then api.queues[key] = nil end
          flush(api, queue, partition)
        end)
      end
      queue[#queue + 1] = { body = body, complete = complete }
      if #queue >= api.batch then api.queues[key] = nil end
    end,
  }:start():await()
  if not entity then return nil, err end
  return entity.json[1]
end

local function send(api, document, body, partition)
  local answer, err
  if document.kind == "query" and api.batch > 1 then
    answer, err = post_in_batch(api, body, partition)
  else
    answer, err = post(api, body, partition, document.kind == "query")
  end
  if not answer and list_of_errors(err.json) then return err.json, err end
  return answer, err
end

local refusals = {
  PersistedQueryNotFound = "unknown", PERSISTED_QUERY_NOT_FOUND = "unknown",
  PersistedQueryNotSupported = "never", PERSISTED_QUERY_NOT_SUPPORTED = "never",
}

-- Why an API refuses a document by its hash, as in Apollo's protocol, or nil.
local function refusal(answer)
  for _, one in ipairs(list_of_errors(answer) or {}) do
    local code = type(one) == "table" and type(one.extensions) == "table" and one.extensions.code
    local why = refusals[code] or refusals[one.message]
    if why then return why end
  end
end

--- The data of an operation, or nil and an error.
function graphql_exchange.perform(api, document, variables, partition)
  local body = graphql_exchange.body(document, variables)
  local answer, err
  if api.persisted then
    body.query = nil
    body.extensions = { persistedQuery = { version = 1, sha256Hash = document.hash } }
    answer, err = send(api, document, body, partition)
    local why = refusal(answer)
    if why then
      body.query, answer = document.text, nil
      if why == "never" then api.persisted, body.extensions = false, nil end
      err = nil
    end
  end
  if not answer and not err then answer, err = send(api, document, body, partition) end
  if not answer then return nil, err end
  if err then return nil, error_of(answer, err.http_status_code) end
  return graphql_exchange.outcome(answer)
end

return graphql_exchange
