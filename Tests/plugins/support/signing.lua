-- Services that sign with the keys of the published examples, for the tests of AWS's signatures.
local t = require "resthost.test"

local signing = {}

signing.SUITE_TIME = 1440938160 -- 2015-08-30T12:36:00Z

local function with(options, changes)
  for name, value in pairs(changes or {}) do options[name] = value end
  return options
end

--- The options of the signature suite.
function signing.suite(changes)
  return with({
    service = "service", region = "us-east-1", access_key_id = "AKIDEXAMPLE",
    secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  }, changes)
end

--- The options of the examples of S3.
function signing.s3(changes)
  return with({
    service = "s3", region = "us-east-1", access_key_id = "AKIAIOSFODNN7EXAMPLE",
    secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  }, changes)
end

--- A service that signs, its host, and a stub for all its requests.
function signing.service(options, base_url, time)
  local host = t.host()
  host:clock(time or signing.SUITE_TIME)
  local api = host.rest.service { name = "api", base_url = base_url or "https://example.amazonaws.com" }
  api:use("resthost.aws_sigv4", options)
  return api, host, host:stub("*", "**")
end

--- The last request as a stub got it.
function signing.sent(stub, request)
  t.assert(request:await())
  return stub.requests[#stub.requests]
end

--- Sends a request to a URL exactly as it is written, and gives the request as the stub got it.
function signing.send_to(api, stub, method, url, options)
  options = options or {}
  options.mutate = function(draft) draft.url = url end
  return signing.sent(stub, api:resource("/"):request(method, options))
end

--- The signature of a request, in hexadecimal digits.
function signing.signature(request) return request.headers.authorization:match "Signature=(%x+)$" end

return signing
