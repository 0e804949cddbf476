-- Signatures for AWS: the vectors and examples that AWS publishes, in headers and in URLs.
local t = require "resthost.test"
local signing = require "support.signing"

local suite_options, s3_options = signing.suite, signing.s3
local sent, send_to, signature = signing.sent, signing.send_to, signing.signature

local S3_TIME = 1369353600 -- 2013-05-24T00:00:00Z
local EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

t.describe("the signature suite", function()
  local vectors = {
    { "get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
    { "get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500" },
    { "get-vanilla-query-unreserved", "GET",
      "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=" ..
      "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197" },
    { "get-vanilla-utf8-query", "GET", "/?%E1%88%B4=bar",
      "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04" },
    { "get-unreserved", "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f" },
    { "get-slashes", "GET", "//example//",
      "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84" },
    { "post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b" },
    { "post-vanilla-query", "POST", "/?Param1=value1",
      "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11" },
    { "get-header-value-trim", "GET", "/", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
      headers = { ["My-Header1"] = " value1", ["My-Header2"] = ' "a   b   c"' } },
    { "post-header-key-sort", "POST", "/", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
      headers = { ["My-Header1"] = "value1" } },
    { "post-x-www-form-urlencoded", "POST", "/",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a", body = "Param1=value1",
      content_type = "application/x-www-form-urlencoded" },
    { "post-x-www-form-urlencoded-parameters", "POST", "/",
      "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe", body = "Param1=value1",
      content_type = "application/x-www-form-urlencoded; charset=utf8" },
  }
  for _, vector in ipairs(vectors) do
    local name, method, target, expected = table.unpack(vector)
    t.test(name, function()
      local api, _, stub = signing.service(suite_options())
      local request = send_to(api, stub, method, "https://example.amazonaws.com" .. target, {
        headers = vector.headers, body = vector.body, content_type = vector.content_type,
      })
      t.equal(signature(request), expected)
      t.equal(request.headers["x-amz-date"], "20150830T123600Z")
    end)
  end
end)

t.describe("the examples of S3", function()
  local base = "https://examplebucket.s3.amazonaws.com"

  t.test("GET of an object with a range", function()
    local api, host, stub = signing.service(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "GET", base .. "/test.txt", { headers = { Range = "bytes=0-9" } })
    t.equal(signature(request), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    t.equal(request.headers["x-amz-content-sha256"], EMPTY)
    t.matches(request.headers.authorization, "SignedHeaders=host;range;x%-amz%-content%-sha256;x%-amz%-date,")
  end)

  t.test("PUT of an object, whose key has a dollar sign", function()
    local api, _, stub = signing.service(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "PUT", base .. "/test$file.text", {
      body = "Welcome to Amazon S3.",
      headers = { Date = "Fri, 24 May 2013 00:00:00 GMT", ["x-amz-storage-class"] = "REDUCED_REDUNDANCY" },
    })
    -- The example has no Content-Type, which is signed when it is there.
    t.equal(request.url, base .. "/test%24file.text")
    t.equal(request.headers["x-amz-content-sha256"],
      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
  end)

  t.test("PUT of the same without a Content-Type", function()
    local api, _, stub = signing.service(s3_options(), base, S3_TIME)
    api:configure("**", function(c)
      c:mutate_requests(function(draft)
        draft.url = base .. "/test$file.text"
        draft.body = "Welcome to Amazon S3."
      end)
    end)
    local request = sent(stub, api:resource("/"):request("PUT", {
      headers = { Date = "Fri, 24 May 2013 00:00:00 GMT", ["x-amz-storage-class"] = "REDUCED_REDUNDANCY" },
    }))
    t.equal(signature(request), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  end)

  t.test("GET of a subresource without a value", function()
    local api, _, stub = signing.service(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "GET", base .. "/?lifecycle")
    t.equal(signature(request), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    t.equal(request.url, base .. "/?lifecycle=")
  end)

  t.test("GET of a list", function()
    local api, host, stub = signing.service(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "GET", base .. "/?prefix=J&max-keys=2")
    t.equal(signature(request), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    t.equal(request.url, base .. "/?max-keys=2&prefix=J")
  end)
end)

-- A script that gives the results of presign by the names of its cases.
local function presigned(time, call)
  local host = t.load {
    source = [[
      local rest = require "resthost"
      local aws = require "resthost.aws_sigv4"
      local function presign(url, options)
        options.access_key_id = options.access_key_id or "AKIAIOSFODNN7EXAMPLE"
        options.secret_access_key = options.secret_access_key or "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        options.service, options.region = options.service or "s3", options.region or "us-east-1"
        return aws.presign(url, options)
      end
      rest.gateway {}:route("GET", "/", function() return ]] .. call .. [[ end)
    ]],
  }
  host:clock(time)
  return host:request("GET", "/")
end

t.describe("presign", function()
  local url = "https://examplebucket.s3.amazonaws.com/test.txt"

  t.test("gives the URL of S3's example", function()
    t.equal(presigned(S3_TIME, ("presign('%s', { expires = 86400 })"):format(url)).body,
      url .. "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524" ..
      "%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400" ..
      "&X-Amz-SignedHeaders=host" ..
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  end)

  t.test("signs headers and the session token", function()
    local text = presigned(S3_TIME, ([[presign('%s?versionId=3', { method = "PUT",
      session_token = "the/token", headers = { ["Content-Type"] = "text/plain" } })]]):format(url)).body
    t.matches(text, "X%-Amz%-SignedHeaders=content%-type%%3Bhost&versionId=3&X%-Amz%-Signature=%x+$")
    t.matches(text, "&X%-Amz%-Security%-Token=")
  end)

  for name, case in pairs {
    ["a relative URL"] = { "presign('/test.txt', {})", "takes an absolute URL, not '/test.txt'" },
    ["a signed URL"] = { "presign('https://a.example/?X-Amz-Signature=1', {})", "is signed already" },
    ["a time above a week"] = { "presign('https://a.example/', { expires = 604801 })", "(1 to 604800)" },
    ["a misspelled option"] = { "presign('https://a.example/', { expire = 1 })", "did you mean 'expires'?" },
  } do
    t.test("refuses " .. name, function()
      local answer = presigned(S3_TIME, case[1])
      t.equal(answer.status, 500)
      t.assert(answer.body:find(case[2], 1, true), answer.body)
    end)
  end
end)
