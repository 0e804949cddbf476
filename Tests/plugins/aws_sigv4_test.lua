-- Signatures for AWS: the vectors that AWS publishes, and how the plugin meets other parts of a request.
local t = require "resthost.test"

local SUITE_TIME = 1440938160 -- 2015-08-30T12:36:00Z
local S3_TIME = 1369353600    -- 2013-05-24T00:00:00Z
local EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

local function with(options, changes)
  for name, value in pairs(changes or {}) do options[name] = value end
  return options
end

local function suite_options(changes)
  return with({
    service = "service", region = "us-east-1", access_key_id = "AKIDEXAMPLE",
    secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  }, changes)
end

local function s3_options(changes)
  return with({
    service = "s3", region = "us-east-1", access_key_id = "AKIAIOSFODNN7EXAMPLE",
    secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  }, changes)
end

-- A service that signs, its host, and a stub for all requests.
local function signing(options, base_url, time)
  local host = t.host()
  host:clock(time or SUITE_TIME)
  local api = host.rest.service { name = "api", base_url = base_url or "https://example.amazonaws.com" }
  api:use("resthost.aws_sigv4", options)
  return api, host, host:stub("*", "**")
end

-- The last request as a stub got it.
local function sent(stub, request)
  t.assert(request:await())
  return stub.requests[#stub.requests]
end

-- Sends a request to a URL exactly as it is written, and gives what the stub got.
local function send_to(api, stub, method, url, options)
  options = options or {}
  options.mutate = function(draft) draft.url = url end
  return sent(stub, api:resource("/"):request(method, options))
end

local function signature(request) return request.headers.authorization:match "Signature=(%x+)$" end

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
      local api, _, stub = signing(suite_options())
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
    local api, host, stub = signing(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "GET", base .. "/test.txt", { headers = { Range = "bytes=0-9" } })
    t.equal(signature(request), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    t.equal(request.headers["x-amz-content-sha256"], EMPTY)
    t.matches(request.headers.authorization, "SignedHeaders=host;range;x%-amz%-content%-sha256;x%-amz%-date,")
  end)

  t.test("PUT of an object, whose key has a dollar sign", function()
    local api, _, stub = signing(s3_options(), base, S3_TIME)
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
    local api, _, stub = signing(s3_options(), base, S3_TIME)
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
    local api, _, stub = signing(s3_options(), base, S3_TIME)
    local request = send_to(api, stub, "GET", base .. "/?lifecycle")
    t.equal(signature(request), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    t.equal(request.url, base .. "/?lifecycle=")
  end)

  t.test("GET of a list", function()
    local api, host, stub = signing(s3_options(), base, S3_TIME)
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

t.describe("a signed request", function()
  t.test("has the token of temporary credentials", function()
    local api, host, stub = signing(suite_options { session_token = "a session of mine" })
    local request = sent(stub, api:resource("/a"):request("GET"))
    t.equal(request.headers["x-amz-security-token"], "a session of mine")
    t.matches(request.headers.authorization, "SignedHeaders=host;x%-amz%-date;x%-amz%-security%-token,")
  end)

  t.test("has the URL and the headers that later blocks give it", function()
    local api, host, stub = signing(suite_options())
    api:configure("**", function(c)
      c.headers["X-Amz-Target"] = "Table.Get"
      c:mutate_requests(function(draft) draft.url = draft.url .. "?b=2&a=1%2f" end)
    end)
    t.assert(api:resource("/x"):request("GET"):await())
    t.assert(api:resource("/y"):request("GET"):await())
    for place, path in ipairs { "/x", "/y" } do
      local request = stub.requests[place]
      t.equal(request.url, "https://example.amazonaws.com" .. path .. "?a=1%2F&b=2")
      t.matches(request.headers.authorization, "SignedHeaders=host;x%-amz%-date;x%-amz%-target,")
      local plain, _, plain_stub = signing(suite_options())
      local again = send_to(plain, plain_stub, "GET", request.url, {
        headers = { ["X-Amz-Target"] = "Table.Get" },
      })
      t.equal(signature(again), signature(request))
    end
  end)

  t.test("is signed once for all attempts of a retry", function()
    local api, host, stub = signing(suite_options())
    api:configure("**", function(c) c.retry = { attempts = 2, base = 1 } end)
    local answers = { { status = 503 }, { status = 200 } }
    local stub = host:stub("GET", "/a", function() return table.remove(answers, 1) end)
    local request = api:resource("/a"):request("GET")
    host:advance(1)
    t.assert(request:await())
    t.equal(#stub.requests, 2)
    t.equal(signature(stub.requests[2]), signature(stub.requests[1]))
  end)

  t.test("is signed anew when a script repeats it", function()
    local api, host, stub = signing(suite_options())
    local stub = host:stub("GET", "/a")
    local request = api:resource("/a"):request("GET")
    t.assert(request:await())
    host:advance(10)
    t.assert(request:repeated():start():await())
    t.equal(stub.requests[2].headers["x-amz-date"], "20150830T123610Z")
  end)

  t.test("sends one line of a repeated header", function()
    local api, host, stub = signing(suite_options())
    local headers = { ["My-Header"] = { "a", "b,c" } }
    local request = sent(stub, api:resource("/a"):request("GET", { headers = headers }))
    t.equal(request.headers["my-header"], "a, b,c")
    t.matches(request.headers.authorization, "host;my%-header;x%-amz%-date")
  end)

  t.test("has the port in the signed host, unless it is that of the scheme", function()
    local vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    for url, is_same in pairs {
      ["https://example.amazonaws.com:443/"] = true, ["http://example.amazonaws.com:80/"] = true,
      ["https://example.amazonaws.com:8443/"] = false, ["http://example.amazonaws.com:443/"] = false,
    } do
      local api, host = signing(suite_options())
      local stub = host:stub("*", url)
      t.equal(signature(send_to(api, stub, "GET", url)) == vanilla, is_same, url)
    end
  end)

  t.test("keeps its signature from other origins", function()
    local api, host = signing(s3_options { session_token = "a session of mine" })
    local elsewhere = { Location = "https://other.example.com/a" }
    host:stub("GET", "https://example.amazonaws.com/a", { status = 307, headers = elsewhere })
    local stub = host:stub("GET", "https://other.example.com/a")
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(stub.requests[1].headers.authorization, nil)
    t.equal(stub.requests[1].headers["x-amz-security-token"], nil)
  end)

  t.test("is for its pattern and methods alone", function()
    local api, _, stub = signing(suite_options { pattern = "/in/*", methods = "GET" })
    for _, call in ipairs { { "GET", "/in/a" }, { "POST", "/in/a" }, { "GET", "/out" } } do
      t.assert(api:resource(call[2]):request(call[1]):await())
    end
    t.assert(stub.requests[1].headers.authorization)
    t.equal(stub.requests[2].headers.authorization, nil)
    t.equal(stub.requests[3].headers.authorization, nil)
  end)
end)

t.describe("a body in memory", function()
  t.test("is signed, and for S3 over https only up to 8 MiB", function()
    local api, _, stub = signing(s3_options())
    local body = ("x"):rep(8 << 20)
    local request = sent(stub, api:resource("/a"):request("PUT", { body = body }))
    t.matches(request.headers["x-amz-content-sha256"], "^%x+$")
    request = sent(stub, api:resource("/a"):request("PUT", { body = body .. "x" }))
    t.equal(request.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
  end)
end)

t.describe("a body that is read while it is sent", function()
  local form = { multipart = { { name = "a", value = "1" } } }

  t.test("is not signed for S3 over https", function()
    local api, _, stub = signing(s3_options())
    local request = sent(stub, api:resource("/a"):request("PUT", form))
    t.equal(request.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    t.assert(not request.headers.authorization:find "content%-type")
  end)

  t.test("is an error for S3 over http", function()
    local api = signing(s3_options(), "http://127.0.0.1:9000")
    local _, err = api:resource("/a"):request("PUT", form):await()
    t.matches(tostring(err), "can't sign PUT http://127.0.0.1:9000/a: the body is read while it is sent")
    t.matches(tostring(err), "use https, or set the header X-Amz-Content-Sha256")
  end)

  t.test("is an error for other services", function()
    local api = signing(suite_options())
    local _, err = api:resource("/a"):request("POST", form):await()
    t.matches(tostring(err), "send it from memory, or set the header X-Amz-Content-Sha256")
  end)

  t.test("is signed with the digest that the request names", function()
    local api, host, stub = signing(s3_options(), "http://127.0.0.1:9000")
    local request = sent(stub, api:resource("/a"):request("PUT", {
      multipart = form.multipart, headers = { ["X-Amz-Content-Sha256"] = EMPTY },
    }))
    t.equal(request.headers["x-amz-content-sha256"], EMPTY)
  end)
end)

t.describe("a wrong clock", function()
  local function refused_at(host, code, date)
    local body = "<Error><Code>" .. code .. "</Code></Error>"
    return host:stub("GET", "/a", { status = 403, headers = { Date = date }, body = body })
  end

  t.test("is named in the error, and corrected from then on", function()
    local api, host = signing(suite_options())
    local stub = refused_at(host, "RequestTimeTooSkewed", "Sun, 30 Aug 2015 13:36:00 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.matches(tostring(err), "clock is 3600 s behind its own (Date: Sun, 30 Aug 2015 13:36:00 GMT)")
    t.equal(err.http_status_code, 403)
    t.equal(err.cause.type, "clock_skew")
    t.equal(stub.requests[1].headers["x-amz-date"], "20150830T123600Z")
    local request = sent(host:stub("*", "**"), api:resource("/a"):request("GET"))
    t.equal(request.headers["x-amz-date"], "20150830T133600Z")
  end)

  t.test("is corrected again when the clock is set", function()
    local api, host, stub = signing(suite_options())
    refused_at(host, "SignatureDoesNotMatch", "Sun, 30 Aug 2015 13:36:00 GMT")
    api:resource("/a"):request("GET"):await()
    host:advance(3600)
    refused_at(host, "SignatureDoesNotMatch", "Sun, 30 Aug 2015 13:36:00 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.equal(err.cause.seconds, 0)
    stub = host:stub("*", "**")
    t.equal(sent(stub, api:resource("/a"):request("GET")).headers["x-amz-date"], "20150830T133600Z")
  end)

  t.test("is named in the error of JSON services, and of an answer to HEAD", function()
    local date = { Date = "Sun, 30 Aug 2015 12:16:00 GMT" }
    for method, reply in pairs {
      POST = { status = 400, headers = date, json = { __type = "com.amazon#InvalidSignatureException" } },
      HEAD = { status = 403, headers = date },
    } do
      local api, host = signing(suite_options())
      host:stub(method, "/a", reply)
      local _, err = api:resource("/a"):request(method):await()
      t.matches(tostring(err), "clock is 1200 s ahead of its own")
    end
  end)

  t.test("is not blamed for a wrong key", function()
    local api, host = signing(suite_options())
    refused_at(host, "SignatureDoesNotMatch", "Sun, 30 Aug 2015 12:36:20 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.assert(not tostring(err):find "clock")
  end)

  t.test("is not blamed for other refusals", function()
    local api, host = signing(suite_options())
    refused_at(host, "AccessDenied", "Sun, 30 Aug 2015 13:36:00 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.assert(not tostring(err):find "clock")
  end)
end)

t.describe("options", function()
  local function problem(options)
    return t.raises(function() signing(options) end)
  end

  t.test("are checked", function()
    t.matches(problem(suite_options { regin = "x" }), "unknown option 'regin': did you mean 'region'?")
    t.matches(problem { service = "s3" }, "option 'region' is missing in the call of 'aws_sigv4'")
    t.matches(problem(suite_options { region = "us east" }), "bad option 'region' to 'aws_sigv4' ('us east'")
    t.matches(problem(suite_options { access_key_id = "a b" }), "with a character that no ID has")
    t.matches(problem(suite_options { profile = "x" }), "takes one of 'access_key_id', 'credentials' and")
    t.matches(problem { service = "s3", region = "r", session_token = "x" },
      "takes 'access_key_id' and 'secret_access_key' together")
  end)

end)
