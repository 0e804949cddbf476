local t = require "resthost.test"
local rest = require "resthost"

local secret = "a shared secret"
local host, api, stub

local function hex_of(text, hash) return rest.hex.encode(rest.crypto.hmac(hash or "sha256", secret, text)) end

local function load(options)
  host = t.host()
  api = host.rest.service { name = "api", base_url = "https://api.example/v1" }
  stub = host:stub("*", "https://api.example/**", { json = {} })
  for name, value in pairs { secret = secret, header = "X-Signature" } do
    if options[name] == nil then options[name] = value end
  end
  api:use("hmac", options)
end

local function sent(number) return stub.requests[number or #stub.requests] end

t.describe("a signature", function()
  t.test("is of method, path, query, time and body", function()
    load {
      template = "{method}\n{path}\n{query}\n{timestamp}\n{body_sha256}", timestamp_header = "X-Timestamp",
    }
    local properties = { json = { name = "Ada" }, query = { b = "2 3" } }
    t.assert(api:resource("users"):request("POST", properties):await())
    local body = rest.hex.encode(rest.crypto.sha256(sent().body))
    t.equal(sent().headers["x-timestamp"], "1000000")
    t.equal(sent().headers["x-signature"], hex_of("POST\n/v1/users\nb=2%203\n1000000\n" .. body))
  end)

  t.test("of a request without a body has the digest of an empty text", function()
    load { template = "{body_sha256}{body}" }
    t.assert(api:resource("users"):load():await())
    t.equal(sent().headers["x-signature"], hex_of(rest.hex.encode(rest.crypto.sha256 "")))
  end)

  t.test("has headers, the host, the key and a nonce", function()
    load {
      template = "{host}|{header:X-Tenant}|{header:X-Missing}|{key_id}|{nonce}", key_id = "k1",
      nonce_header = "X-Nonce", format = 'keyId="{key_id}",signature="{signature}"', encoding = "base64",
    }
    t.assert(api:resource("users"):request("GET", { headers = { ["X-Tenant"] = "north" } }):await())
    local text = "api.example|north||k1|" .. sent().headers["x-nonce"]
    local signature = rest.base64.encode(rest.crypto.hmac("sha256", secret, text))
    t.equal(sent().headers["x-signature"], ('keyId="k1",signature="%s"'):format(signature))
  end)

  t.test("may have another hash, a decoded secret and a digest of the body", function()
    load {
      template = "{body}", algorithm = "sha512", secret = rest.base64.encode(secret),
      secret_encoding = "base64", digest_header = "X-Digest", format = "v1={signature}",
    }
    t.assert(api:resource("users"):request("PUT", { text = "hello" }):await())
    t.equal(sent().headers["x-signature"], "v1=" .. hex_of("hello", "sha512"))
    t.equal(sent().headers["x-digest"], rest.hex.encode(rest.crypto.sha256 "hello"))
  end)

  t.test("may have digests that are written in another way", function()
    load { template = "{body_md5}", digest_encoding = "base64", encoding = "base64url" }
    t.assert(api:resource("users"):request("PUT", { text = "hello" }):await())
    local digest = rest.base64.encode(rest.crypto.digest("md5", "hello"))
    local bytes = rest.base64.encode(rest.crypto.hmac("sha256", secret, digest))
    t.equal(sent().headers["x-signature"], (bytes:gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })))
  end)

  t.test("has the time in other forms", function()
    local forms = {
      unix_ms = "1000000000", iso8601 = "1970-01-12T13:46:40Z", http = "Mon, 12 Jan 1970 13:46:40 GMT",
    }
    for form, text in pairs(forms) do
      load { template = "{timestamp}", timestamp_format = form }
      t.assert(api:resource("users"):load():await())
      t.equal(sent().headers["x-signature"], hex_of(text))
    end
  end)

  t.test("may have the parameters in order", function()
    load { template = "{sorted_query}" }
    local query = { { "b", 1 }, { "a-b", 2 }, { "a", 3 }, { "a", 1 } }
    t.assert(api:resource("users"):request("GET", { query = query }):await())
    t.equal(sent().headers["x-signature"], hex_of "a=1&a=3&a-b=2&b=1")
  end)
end)

t.describe("with other blocks", function()
  t.test("blocks before it are signed, later ones are not", function()
    host = t.host()
    api = host.rest.service { name = "api", base_url = "https://api.example/v1" }
    stub = host:stub("*", "https://api.example/**", { json = {} })
    api:use("api_key", { query = "key", value = "key-of-plugin" })
    api:use("hmac", { secret = secret, header = "X-Signature", template = "{query}" })
    api:configure("**", function(c)
      c:mutate_requests(function(draft) draft.url = draft.url .. "&late=1" end)
    end)
    t.assert(api:resource("users"):load():await())
    t.equal(sent().url, "https://api.example/v1/users?key=key-of-plugin&late=1")
    t.equal(sent().headers["x-signature"], hex_of "key=key-of-plugin")
  end)

  t.test("a repeat is signed with its own time", function()
    load { template = "{timestamp}" }
    api:configure("**", function(c)
      c:decorate_requests(function(_, request)
        return request:chained(function(info)
          if info.response.ok then return rest.use_this_response end
          host.rest.sleep(10)
          return rest.pass_to(request:repeated())
        end)
      end)
    end)
    host:stub("GET", "https://api.example/**", { status = 503 })
    local request = api:resource("users"):load()
    host:settle()
    stub = host:stub("GET", "https://api.example/**", { json = {} })
    host:advance(10)
    t.assert(request:await())
    t.equal(sent().headers["x-signature"], hex_of "1000010")
  end)

  t.test("a retry has the signature of the first attempt", function()
    load { template = "{timestamp}" }
    api:configure("**", function(c) c.retry = true end)
    local answers = { { status = 503, headers = { ["Retry-After"] = "5" } }, { json = {} } }
    stub = host:stub("GET", "https://api.example/**", function() return table.remove(answers, 1) end)
    local request = api:resource("users"):load()
    host:advance(10)
    t.assert(request:await())
    t.equal(#stub.requests, 2)
    t.equal(sent().headers["x-signature"], hex_of "1000000")
  end)

  t.test("another origin gets no signature", function()
    load { template = "{path}" }
    local other = host:stub("GET", "https://other.example/**", { json = {} })
    t.assert(api:resource_at("https://other.example/x"):load():await())
    t.equal(other.requests[1].headers["x-signature"], nil)
  end)
end)

t.describe("a mistake", function()
  t.test("in the template names the nearest name", function()
    t.raises(function() load { template = "{methd}" } end, "did you mean '{method}'")
    t.raises(function() load { template = "{zzzzzzzzz}" } end, "there are {body}")
    t.raises(function() load { template = "{signature}" } end, "'{signature}' in option 'template'")
    t.raises(function() load { template = "", format = "{signatur}" } end, "did you mean '{signature}'")
    t.raises(function() load { template = "{key_id}" } end, "option 'key_id' is needed")
  end)

  t.test("in the secret is an error", function()
    t.raises(function() load { template = "", secret = "xyz", secret_encoding = "hex" } end, "is not hex")
  end)

  t.test("is the signature of a body that is read from a file", function()
    load { template = "{body_sha256}" }
    local _, err = api:resource("users"):request("POST", { file = "hmac_test.lua" }):await()
    t.matches(tostring(err), "can't sign a body that is read from a file")
    t.equal(#stub.requests, 0)
  end)
end)
