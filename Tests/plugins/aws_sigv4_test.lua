-- How signatures for AWS meet other parts of a request: blocks, retries, bodies, redirects and clocks.
local t = require "resthost.test"
local signing = require "support.signing"

local suite_options, s3_options = signing.suite, signing.s3
local sent, send_to, signature = signing.sent, signing.send_to, signing.signature

local EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

t.describe("a signed request", function()
  t.test("has the token of temporary credentials", function()
    local api, host, stub = signing.service(suite_options { session_token = "a session of mine" })
    local request = sent(stub, api:resource("/a"):request("GET"))
    t.equal(request.headers["x-amz-security-token"], "a session of mine")
    t.matches(request.headers.authorization, "SignedHeaders=host;x%-amz%-date;x%-amz%-security%-token,")
  end)

  t.test("has the URL and the headers that later blocks give it", function()
    local api, host, stub = signing.service(suite_options())
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
      local plain, _, plain_stub = signing.service(suite_options())
      local again = send_to(plain, plain_stub, "GET", request.url, {
        headers = { ["X-Amz-Target"] = "Table.Get" },
      })
      t.equal(signature(again), signature(request))
    end
  end)

  t.test("has the digest of the body that a later block gives it", function()
    local api, _, stub = signing.service(s3_options())
    api:configure("**", function(c) c:mutate_requests(function(draft) draft.body = "" end) end)
    local request = sent(stub, api:resource("/a"):request("PUT", { body = "another body" }))
    t.equal(request.headers["x-amz-content-sha256"], EMPTY)
  end)

  t.test("is signed once for all attempts of a retry", function()
    local api, host, stub = signing.service(suite_options())
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
    local api, host, stub = signing.service(suite_options())
    local stub = host:stub("GET", "/a")
    local request = api:resource("/a"):request("GET")
    t.assert(request:await())
    host:advance(10)
    t.assert(request:repeated():start():await())
    t.equal(stub.requests[2].headers["x-amz-date"], "20150830T123610Z")
  end)

  t.test("sends one line of a repeated header", function()
    local api, host, stub = signing.service(suite_options())
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
      local api, host = signing.service(suite_options())
      local stub = host:stub("*", url)
      t.equal(signature(send_to(api, stub, "GET", url)) == vanilla, is_same, url)
    end
  end)

  t.test("keeps its signature from other origins", function()
    local api, host = signing.service(s3_options { session_token = "a session of mine" })
    local elsewhere = { Location = "https://other.example.com/a" }
    host:stub("GET", "https://example.amazonaws.com/a", { status = 307, headers = elsewhere })
    local stub = host:stub("GET", "https://other.example.com/a")
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(stub.requests[1].headers.authorization, nil)
    t.equal(stub.requests[1].headers["x-amz-security-token"], nil)
  end)

  t.test("is for its pattern and methods alone", function()
    local api, _, stub = signing.service(suite_options { pattern = "/in/*", methods = "GET" })
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
    local api, _, stub = signing.service(s3_options())
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
    local api, _, stub = signing.service(s3_options())
    local request = sent(stub, api:resource("/a"):request("PUT", form))
    t.equal(request.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    t.assert(not request.headers.authorization:find "content%-type")
  end)

  t.test("is an error for S3 over http", function()
    local api = signing.service(s3_options(), "http://127.0.0.1:9000")
    local _, err = api:resource("/a"):request("PUT", form):await()
    t.matches(tostring(err), "can't sign PUT http://127.0.0.1:9000/a: the body is read while it is sent")
    t.matches(tostring(err), "use https, or set the header X-Amz-Content-Sha256")
  end)

  t.test("is an error for other services", function()
    local api = signing.service(suite_options())
    local _, err = api:resource("/a"):request("POST", form):await()
    t.matches(tostring(err), "send it from memory, or set the header X-Amz-Content-Sha256")
  end)

  t.test("is signed with the digest that the request names", function()
    local api, host, stub = signing.service(s3_options(), "http://127.0.0.1:9000")
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
    local api, host = signing.service(suite_options())
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
    local api, host, stub = signing.service(suite_options())
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
      local api, host = signing.service(suite_options())
      host:stub(method, "/a", reply)
      local _, err = api:resource("/a"):request(method):await()
      t.matches(tostring(err), "clock is 1200 s ahead of its own")
    end
  end)

  t.test("is not blamed for a wrong key", function()
    local api, host = signing.service(suite_options())
    refused_at(host, "SignatureDoesNotMatch", "Sun, 30 Aug 2015 12:36:20 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.assert(not tostring(err):find "clock")
  end)

  t.test("is not blamed for other refusals", function()
    local api, host = signing.service(suite_options())
    refused_at(host, "AccessDenied", "Sun, 30 Aug 2015 13:36:00 GMT")
    local _, err = api:resource("/a"):request("GET"):await()
    t.assert(not tostring(err):find "clock")
  end)
end)

t.describe("options", function()
  local function problem(options)
    return t.raises(function() signing.service(options) end)
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
