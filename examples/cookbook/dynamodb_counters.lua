-- Counts in DynamoDB, so that several hosts count together. An answer is read from memory for a second.
--
--   AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… resthost run dynamodb_counters.lua
--   curl -X POST http://127.0.0.1:8080/counters/visits
local rest = require "resthost"

local region = rest.env.AWS_REGION or "eu-central-1"
local url = rest.env.DYNAMODB_URL or ("https://dynamodb.%s.amazonaws.com"):format(region)
local dynamodb = rest.service { name = "dynamodb", base_url = url }
local counters = rest.service { name = "counters" }

dynamodb:use("aws_sigv4", {
  service = "dynamodb", region = region,
  access_key_id = rest.env.AWS_ACCESS_KEY_ID or "AKIDEXAMPLE",
  secret_access_key = rest.env.AWS_SECRET_ACCESS_KEY or "a key for trying out",
})

local function call(operation, body, may_repeat)
  local entity, err = dynamodb:resource("/"):request("POST", {
    json = body, content_type = "application/x-amz-json-1.0",
    headers = { ["X-Amz-Target"] = "DynamoDB_20120810." .. operation },
    idempotency_key = may_repeat,
  }):await()
  if entity then return rest.json.decode(entity.content) end
  return nil, err
end

local function number_of(item) return item and item.count and math.tointeger(tonumber(item.count.N)) or 0 end

-- Two hosts that add at the same time both count.
local function add(name)
  local answer, err = call("UpdateItem", {
    TableName = "counters", Key = { name = { S = name } }, ReturnValues = "UPDATED_NEW",
    UpdateExpression = "ADD #count :one",
    ExpressionAttributeNames = { ["#count"] = "count" },
    ExpressionAttributeValues = { [":one"] = { N = "1" } },
  })
  return answer and number_of(answer.Attributes), err
end

counters:computed("/{name}", { expiration_time = 1 }, function(params)
  local answer, err = call("GetItem", { TableName = "counters", Key = { name = { S = params.name } } }, true)
  if not answer then return nil, err end
  return { count = number_of(answer.Item) }
end)

local gateway = rest.gateway { expose = { counters = {} } }

gateway:route("POST", "/counters/{name}", function(request)
  local count, err = add(request.params.name)
  if not count then return nil, err end
  return { count = count }
end)
gateway:route("GET", "/counters/{name}", function(request)
  return counters:resource("/"):child(request.params.name):get()
end)
