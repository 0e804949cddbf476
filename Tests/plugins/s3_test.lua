-- Objects of a bucket: keys in URLs, bodies and their digests, lists of several pages, and errors.
local t = require "resthost.test"
local rest = require "resthost"

-- A host whose script has opened a bucket and runs the given code as a route, whose answer this gives.
local function running(base_url)
  local host = t.load {
    source = ([[
      local rest = require "resthost"
      local s3 = require "resthost.s3"
      local service = rest.service { name = "photos", base_url = "%s" }
      local bucket = s3.open(service, {
        region = "us-east-1", access_key_id = "AKIAIOSFODNN7EXAMPLE",
        secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      })
      rest.gateway {}:route("POST", "/", function(request)
        local run = load(request.body, "=code", "t", {
          bucket = bucket, rest = rest, tostring = tostring, pcall = pcall, select = select,
        })
        return { run() }
      end)
    ]]):format(base_url or "https://photos.s3.us-east-1.amazonaws.com"),
  }
  return host, function(code)
    local answer = host:request("POST", "/", { body = code })
    t.equal(answer.status, 200, answer.body)
    return table.unpack(rest.json.decode(answer.body))
  end
end

local HERE = "https://photos.s3.us-east-1.amazonaws.com/"

t.describe("an object", function()
  t.test("is made with its type and further headers", function()
    local host, run = running()
    local stub = host:stub("PUT", HERE .. "a.txt", { headers = { ETag = '"1"' } })
    t.equal(run [[
      local entity = bucket:put("a.txt", "hello", { content_type = "text/plain",
        headers = { ["x-amz-meta-owner"] = "ada" } })
      return entity.etag]], '"1"')
    local request = stub.requests[1]
    t.equal(request.body, "hello")
    t.equal(request.headers["content-type"], "text/plain")
    t.equal(request.headers["x-amz-content-sha256"],
      "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    t.matches(request.headers.authorization, "host;x%-amz%-content%-sha256;x%-amz%-date;x%-amz%-meta%-owner,")
  end)

  t.test("of a file goes over https without its digest", function()
    local host, run = running()
    local stub = host:stub("PUT", HERE .. "a.txt")
    run [[return bucket:put("a.txt", { file = "fixtures/object.txt" }).status]]
    t.equal(stub.requests[1].headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    t.equal(stub.requests[1].body, "An object of the tests.\n")
  end)

  t.test("of a file goes over http with its digest", function()
    local host, run = running "http://127.0.0.1:9000/photos"
    local stub = host:stub("PUT", "http://127.0.0.1:9000/photos/a.txt")
    run [[return bucket:put("a.txt", { file = "fixtures/object.txt" }).status]]
    t.equal(stub.requests[1].headers["x-amz-content-sha256"],
      rest.hex.encode(rest.crypto.sha256 "An object of the tests.\n"))
    t.equal(stub.requests[1].body, "An object of the tests.\n")
    local message = run [[local _, err = bucket:put("a.txt", { file = "no_file" }) return tostring(err)]]
    t.matches(message, "no_file")
  end)

  for key, url in pairs {
    ["a b+c&d=e?f#g%41"] = "a%20b%2Bc%26d%3De%3Ff%23g%2541",
    ["ordner/ä/x"] = "ordner/%C3%A4/x",
    ["a//b/"] = "a//b/",
    ["/a"] = "/a",
  } do
    t.test(("with the key '%s' has its URL"):format(key), function()
      local host, run = running()
      local stub = host:stub("*", "https://**", { text = "hello" })
      t.equal(run(("return bucket:get(%q).content"):format(key)), "hello")
      t.equal(stub.requests[1].url, HERE .. url)
      run(("return bucket:delete(%q).status"):format(key))
      t.equal({ stub.requests[2].method, stub.requests[2].url }, { "DELETE", HERE .. url })
    end)
  end

  t.test("with a key that no URL can have is an error", function()
    local _, run = running()
    t.matches(run [[local _, err = bucket:get("a/../b") return tostring(err)]], "%.%.")
    t.matches(run [[return tostring((select(2, pcall(bucket.get, bucket, ""))))]], "not empty")
  end)

  t.test("can be asked for in part", function()
    local host, run = running()
    local stub = host:stub("GET", HERE .. "a.txt", { status = 206, text = "hel" })
    t.equal(run [[return bucket:get("a.txt", { headers = { Range = "bytes=0-2" } }).status]], 206)
    t.matches(stub.requests[1].headers.authorization, "SignedHeaders=host;range;")
  end)

  t.test("has a URL for others", function()
    local host, run = running "https://examplebucket.s3.amazonaws.com"
    host:clock(1369353600)
    local url = run [[return (bucket:presign("test.txt", { expires = 86400 }))]]
    t.matches(url, "^https://examplebucket%.s3%.amazonaws%.com/test%.txt%?")
    t.matches(url, "&X%-Amz%-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404$")
  end)
end)

t.describe("a list", function()
  local function answer(items, token)
    local parts = { '<?xml version="1.0" encoding="UTF-8"?>\n',
      '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>' }
    for _, key in ipairs(items) do
      local behind = "</Key><Size>3</Size><ETag>&quot;1&quot;</ETag></Contents>"
      parts[#parts + 1] = "<Contents><Key>" .. key .. behind
    end
    for _, prefix in ipairs(items.prefixes or {}) do
      parts[#parts + 1] = ("<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>"):format(prefix)
    end
    parts[#parts + 1] = ("<IsTruncated>%s</IsTruncated>"):format(token ~= nil)
    if token then parts[#parts + 1] = ("<NextContinuationToken>%s</NextContinuationToken>"):format(token) end
    parts[#parts + 1] = "</ListBucketResult>"
    return { body = table.concat(parts), headers = { ["Content-Type"] = "application/xml" } }
  end

  -- A host whose bucket has these pages, by the token that asks for each.
  local function paged(pages)
    local host, run = running()
    local stub = host:stub("GET", HERE, function(request)
      return pages[rest.url.decode(request.url:match "continuation%-token=([^&]*)" or "first")]
    end)
    return run, stub
  end

  t.test("joins its pages, and decodes keys and prefixes", function()
    local run, stub = paged {
      first = answer({ "a%2Bb+c.txt", prefixes = { "f%C3%A4/" } }, "t/1="), ["t/1="] = answer { "z.txt" },
    }
    local list = run [[return bucket:list { prefix = "x y", delimiter = "/" }]]
    t.equal(list.objects[1], { key = "a+b c.txt", size = 3, etag = '"1"' })
    t.equal(list.objects[2].key, "z.txt")
    t.equal({ list.prefixes, list.has_more }, { { "fä/" }, false })
    t.equal(stub.requests[1].url, HERE .. "?delimiter=%2F&encoding-type=url&list-type=2&prefix=x%20y")
    t.equal(stub.requests[2].url, HERE .. "?continuation-token=t%2F1%3D&delimiter=%2F&encoding-type=url" ..
      "&list-type=2&prefix=x%20y")
  end)

  t.test("ends at its limit, and says that there is more", function()
    local run, stub = paged { first = answer({ "a", "b" }, "t1"), t1 = answer({ "c", "d" }, "t2") }
    local list = run [[return bucket:list { max_items = 3 }]]
    t.equal({ #list.objects, list.has_more }, { 3, true })
    t.equal(#stub.requests, 2)
  end)

  t.test("gives the items before an error in the middle", function()
    local run = paged { first = answer({ "a" }, "t1"), t1 = { status = 503 } }
    local status, number = run [[
      local _, err, some = bucket:list()
      return err.http_status_code, #some.objects]]
    t.equal({ status, number }, { 503, 1 })
  end)

  t.test("goes on when the credentials expire in the middle", function()
    local host = t.load { source = [[
      local rest = require "resthost"
      local service = rest.service { name = "photos", base_url = "https://photos.s3.us-east-1.amazonaws.com" }
      local number = 0
      local bucket = require("resthost.s3").open(service, { region = "us-east-1", credentials = function()
        number = number + 1
        return { access_key_id = "KEY" .. number, secret_access_key = "a-secret-of-it" }
      end })
      rest.gateway {}:route("GET", "/", function() return bucket:list() end)
    ]] }
    local stub = host:stub("GET", HERE, function(request)
      if not request.url:find "continuation" then return answer({ "a" }, "t1") end
      if request.headers.authorization:find "KEY2/" then return answer { "b" } end
      return { status = 400, body = "<Error><Code>ExpiredToken</Code><Message>Old.</Message></Error>" }
    end)
    local list = host:request("GET", "/").json
    t.equal({ list.objects[1].key, list.objects[2].key, #stub.requests }, { "a", "b", 3 })
  end)

  t.test("whose page leads to itself is an error", function()
    local run = paged { first = answer({ "a" }, "t1"), t1 = answer({ "a" }, "t1") }
    t.matches(run [[local _, err = bucket:list() return tostring(err)]], "a page that leads to itself")
  end)

  t.test("that is another document is an error", function()
    local run = paged { first = { body = "<html></html>" } }
    t.matches(run [[local _, err = bucket:list() return tostring(err)]], "no list of objects")
  end)

  t.test("that is no XML is an error", function()
    local run = paged { first = { body = "hello" } }
    t.matches(run [[local _, err = bucket:list() return tostring(err)]], "no list of objects")
  end)

  t.test("of a bucket that refuses has the code of S3", function()
    local body = "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>No.</Message></Error>"
    local run = paged { first = { status = 403, body = body } }
    local text, code = run [[local _, err = bucket:list() return tostring(err), err.cause.code]]
    t.matches(text, "No%. %(AccessDenied%)")
    t.equal(code, "AccessDenied")
  end)

  t.test("of an error that is broken XML keeps its status", function()
    local run = paged { first = { status = 403, body = "<Error><Code>AccessDenied</Error>" } }
    t.equal(run [[return (select(2, bucket:list()).http_status_code)]], 403)
  end)

  t.test("refuses wrong options", function()
    local _, run = running()
    t.matches(run [[return tostring((function() local _, err = rest.spawn(function()
      bucket:list { prefx = "a" } end):await() return err end)())]], "did you mean 'prefix'?")
  end)
end)

t.test("open needs a service with the URL of a bucket", function()
  local message = t.raises(function()
    t.load {
      source = [[
        local rest = require "resthost"
        require "resthost.s3".open(rest.service { name = "x" }, { region = "r" })]],
    }
  end)
  t.matches(message, "needs the URL of a bucket as 'base_url'")
end)
