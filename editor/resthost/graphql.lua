---@meta resthost.graphql
-- Written by `resthost types`; changes are lost.

---@class resthost.graphql.options
---@field path? string The path of the API. Default: `"/graphql"`.
---@field operations? table<string, string> Queries by name, which clients of the gateway may read as `PATH/NAME?variables={…}`.
---@field persisted? boolean Sends the SHA-256 of a document, and its text only when the API doesn't know it. Default: `false`.
---@field batch? boolean|integer Sends queries that begin together as one list, of this length at most; `true` is 10. Default: `false`.
---@field expiration_time? number How long the data of a query stays up to date; default: as configured. In seconds. 0 or more.

---Asks a GraphQL API: cached queries, mutations, persisted documents, batches, subscriptions.
---@class resthost.graphql
local graphql = {}

---@param service resthost.service
---@param options resthost.graphql.options
function graphql.use(service, options) end

---@class resthost.graphql.query.options
---@field fresh? boolean Asks the API even if the data is up to date. Default: `false`.
---@field operation? string The name of the operation, for a document that has several.
---@field partition? string The partition of the resource, such as a user's name.

---Waits for the data of a query, or of a mutation, which is never cached. After an error it also gives partial data; `err.path` and `err.cause.errors` say where it failed.
---@param service resthost.service
---@param query string
---@param variables? table
---@param options? resthost.graphql.query.options
---@return table|nil
---@return resthost.error?
---@return table?
function graphql.query(service, query, variables, options) end

---@class resthost.graphql.resource.options
---@field operation? string The name of the operation, for a document that has several.
---@field partition? string The partition of the resource, such as a user's name.

---The resource of a query and its variables.
---@param service resthost.service
---@param query string
---@param variables? table
---@param options? resthost.graphql.resource.options
---@return resthost.resource
function graphql.resource(service, query, variables, options) end

---@class resthost.graphql.subscribe.options
---@field operation? string The name of the operation, for a document that has several.
---@field partition? string The partition of the resource, such as a user's name.

---Calls fn with the data of each event (server-sent events, POST), and waits for the end. False from fn ends the subscription.
---@param service resthost.service
---@param query string
---@param variables table
---@param fn fun(data?: table, err?: resthost.error)
---@param options? resthost.graphql.subscribe.options
---@return true|nil
---@return resthost.error?
function graphql.subscribe(service, query, variables, fn, options) end

---@class resthost.graphql.subscription.options
---@field operation? string The name of the operation, for a document that has several.
---@field partition? string The partition of the resource, such as a user's name.

---The resource of a subscription (server-sent events, GET). It connects again by itself.
---@param service resthost.service
---@param query string
---@param variables? table
---@param options? resthost.graphql.subscription.options
---@return resthost.resource
function graphql.subscription(service, query, variables, options) end

return graphql
