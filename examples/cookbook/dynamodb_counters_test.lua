local t = require "resthost.test"

local url = "https://dynamodb.eu-central-1.amazonaws.com/"
local json = { ["Content-Type"] = "application/x-amz-json-1.0" }
local host

t.before_each(function() host = t.load "dynamodb_counters.lua" end)

local function stub(count, status)
  local item = { count = { N = tostring(count) } }
  return host:stub("POST", url, {
    status = status, headers = json, body = host.rest.json.encode { Attributes = item, Item = item },
  })
end

t.test("counting is one signed request that adds", function()
  local answers = stub(7)
  t.equal(host:request("POST", "/counters/visits").json, { count = 7 })
  t.equal(answers.requests[1].headers["x-amz-target"], "DynamoDB_20120810.UpdateItem")
  t.equal(answers.requests[1].headers["content-type"], "application/x-amz-json-1.0")
  t.matches(
    answers.requests[1].headers.authorization,
    "^AWS4%-HMAC%-SHA256 Credential=AKIDEXAMPLE/%d+/eu%-central%-1/dynamodb/"
  )
  t.equal(host.rest.json.decode(answers.requests[1].body).Key, { name = { S = "visits" } })
end)

t.test("readers share an answer for a second", function()
  local answers = stub(7)
  for _ = 1, 3 do t.equal(host:request("GET", "/counters/visits").json, { count = 7 }) end
  t.equal(#answers.requests, 1)
  host:advance(1.5)
  host:request("GET", "/counters/visits")
  t.equal(#answers.requests, 2)
end)

t.test("a failure is a failure, and counting is not repeated by itself", function()
  local answers = stub(0, 500)
  t.equal(host:request("POST", "/counters/visits").status, 500)
  t.equal(#answers.requests, 1)
end)
