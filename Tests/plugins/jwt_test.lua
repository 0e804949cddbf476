local t = require "resthost.test"
local rest = require "resthost"
local jwt = require "resthost.jwt"
local keys = require "support.keys"

local secret = ("s"):rep(64)
local key_of = {
  HS256 = secret, HS384 = secret, HS512 = secret,
  RS256 = keys.rsa, RS384 = keys.rsa, RS512 = keys.rsa, PS256 = keys.rsa, PS384 = keys.rsa, PS512 = keys.rsa,
  ES256 = keys.p256, ES384 = keys.p384, ES512 = keys.p521, EdDSA = keys.ed25519,
}

local function base64url(bytes)
  return (rest.base64.encode(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end

-- A token with any header, signed with HS256 if there is a key.
local function token_of(header, claims, key)
  local text = base64url(header) .. "." .. base64url(claims)
  return text .. "." .. (key and base64url(rest.crypto.hmac("sha256", key, text)) or "")
end

local function hs(claims) return jwt.sign(claims, { key = secret, algorithm = "HS256" }) end

local function refused(token, options, pattern)
  local claims, err = jwt.verify(token, options)
  t.equal(claims, nil)
  t.matches(err, pattern)
end

local function jwk(key, fields)
  local copy = {}
  for name, value in pairs(key.jwk) do copy[name] = value end
  for name, value in pairs(fields or {}) do copy[name] = value end
  return copy
end

t.describe("a token", function()
  for algorithm, key in pairs(key_of) do
    t.test("of " .. algorithm .. " is verified, and refused after a change", function()
      local private, public = key, key
      if type(key) == "table" then private, public = key.private, key.public end
      local token = jwt.sign({ sub = "ada" }, { key = private, algorithm = algorithm })
      t.equal(t.assert(jwt.verify(token, { key = public })).sub, "ada")
      t.equal(t.assert(jwt.verify(token, { key = public, algorithms = { algorithm } })).sub, "ada")
      local head, tail = token:match "^([^.]+)%.[^.]+%.(.+)$"
      refused(head .. "." .. base64url '{"sub":"eve"}' .. "." .. tail, { key = public }, "signature is wrong")
      refused(head .. "." .. token:match "%.(.-)%." .. ".AAAA", { key = public }, "signature is wrong")
    end)
  end

  t.test("has a header with the key's ID and whole seconds", function()
    local token = jwt.sign({ exp = 1000060.7, amount = 1.5 }, {
      key = secret, algorithm = "HS256", header = { kid = "k1" },
    })
    local head, body = token:match "^([^.]+)%.([^.]+)"
    t.equal(rest.json.decode(rest.base64.decode(head)), { alg = "HS256", kid = "k1", typ = "JWT" })
    t.equal(rest.base64.decode(body), '{"amount":1.5,"exp":1000060}')
  end)

  t.test("without claims has an empty object", function()
    t.equal(rest.base64.decode(hs({}):match "%.(.-)%."), "{}")
  end)
end)

t.describe("a forged token", function()
  t.test("without a signature is refused", function()
    refused(token_of('{"alg":"none"}', "{}"), { key = secret }, "not signed")
    refused(token_of('{"alg":"None"}', "{}"), { key = secret }, "not allowed: None")
  end)

  t.test("that takes a public key for a secret is refused", function()
    local token = token_of('{"alg":"HS256"}', "{}", keys.rsa.public)
    refused(token, { key = keys.rsa.public }, "not allowed: HS256")
    refused(token, { key = keys.rsa.public, algorithms = { "HS256" } }, "signature is wrong")
    local set = { keys = { jwk(keys.rsa) } }
    refused(token, { jwks = set }, "not allowed: HS256")
    refused(token, { jwks = set, algorithms = { "HS256" } }, "no key for HS256")
  end)

  t.test("that needs an extension is refused", function()
    refused(token_of('{"alg":"HS256","crit":["b64"],"b64":false}', "{}", secret), { key = secret }, "crit")
    refused(token_of('{"alg":"HS256","crit":[]}', "{}", secret), { key = secret }, "crit")
  end)

  t.test("that is malformed is refused with the reason", function()
    local options = { key = secret }
    refused("", options, "three parts")
    refused("a.b", options, "three parts")
    refused("a.b.c.d", options, "three parts")
    refused(nil, options, "a token is a text, not a nil")
    refused("!.b.c", options, "header is not base64url")
    refused(base64url "[1]" .. ".e30.", options, "header is not a JSON object")
    refused(base64url "{" .. ".e30.", options, "header is not a JSON object")
    refused(base64url "{}" .. ".e30.", options, "names no algorithm")
    refused(token_of('{"alg":"HS256"}', "[]", secret), options, "claims is not a JSON object")
    refused("a.e30.", options, "header is not base64url")
    refused(hs {} .. "=", options, "signature is not base64url")
    refused(("a"):rep(64 * 1024) .. ".b.c", options, "more than 64 KiB")
    refused(token_of('{"alg":["HS256"]}', "{}", secret), options, "names no algorithm")
  end)
end)

t.describe("claims", function()
  local now = rest.now()

  t.test("of time have the leeway", function()
    t.assert(jwt.verify(hs { exp = now - 29 }, { key = secret }))
    refused(hs { exp = now - 30 }, { key = secret }, "expired")
    refused(hs { exp = now }, { key = secret, leeway = 0 }, "expired")
    t.assert(jwt.verify(hs { nbf = now + 30, iat = now + 30 }, { key = secret }))
    refused(hs { nbf = now + 31 }, { key = secret }, "not valid yet")
    refused(hs { iat = now + 31 }, { key = secret }, "from the future")
    refused(hs { exp = "soon" }, { key = secret }, "'exp' is not a number")
  end)

  t.test("name the issuer and the audience", function()
    local options = { key = secret, issuer = "https://id.example", audience = "shop" }
    t.assert(jwt.verify(hs { iss = "https://id.example", aud = "shop" }, options))
    t.assert(jwt.verify(hs { iss = "https://id.example", aud = { "till", "shop" } }, options))
    refused(hs { iss = "https://id.example/", aud = "shop" }, options, "another issuer")
    refused(hs { aud = "shop" }, options, "another issuer")
    refused(hs { iss = "https://id.example", aud = { "till" } }, options, "another audience")
    refused(hs { iss = "https://id.example" }, options, "another audience")
    refused(hs { aud = "shop" }, { key = secret }, "option 'audience'")
    t.assert(jwt.verify(hs { aud = "b" }, { key = secret, audience = { "a", "b" } }))
  end)

  t.test("that are required must be there", function()
    refused(hs { sub = "a" }, { key = secret, required = { "sub", "exp" } }, "no claim 'exp'")
  end)
end)

t.describe("a key set", function()
  local function set_of(...) return { keys = { ... } } end

  t.test("verifies with the key of the ID", function()
    for algorithm, key in pairs(key_of) do
      if type(key) == "table" then
        local header = { kid = "b" }
        local token = jwt.sign({ sub = "a" }, { key = key.private, algorithm = algorithm, header = header })
        local other = { kty = "EC", crv = "P-256", kid = "a", x = keys.p256.jwk.y, y = keys.p256.jwk.x }
        t.assert(jwt.verify(token, { jwks = set_of(other, jwk(key, { kid = "b", alg = algorithm })) }))
        refused(token, { jwks = set_of(jwk(key, { kid = "c" })) }, "no key with the ID 'b'")
      end
    end
  end)

  t.test("tries each key of the algorithm for a token without an ID", function()
    local token = jwt.sign({}, { key = keys.p256.private, algorithm = "ES256" })
    local broken = { kty = "EC", crv = "P-256", x = keys.p256.jwk.y, y = keys.p256.jwk.x }
    t.assert(jwt.verify(token, { jwks = set_of(broken, jwk(keys.rsa), jwk(keys.p384), jwk(keys.p256)) }))
  end)

  t.test("gives the PEM that other programs make of its keys", function()
    local read = require "resthost.jwk".read
    for _, key in pairs(keys) do t.equal(t.assert(read(key.jwk)).pem, key.public) end
  end)

  t.test("has secrets, for algorithms that the script names", function()
    local token = hs { sub = "a" }
    local set = set_of { kty = "oct", k = base64url(secret) }
    t.assert(jwt.verify(token, { jwks = set, algorithms = { "HS256" } }))
    refused(token, { jwks = set }, "not allowed: HS256")
  end)

  t.test("keeps keys for their use", function()
    local token = jwt.sign({}, { key = keys.rsa.private, algorithm = "RS256" })
    refused(token, { jwks = set_of(jwk(keys.rsa, { use = "enc" })) }, "no key for RS256")
    refused(token, { jwks = set_of(jwk(keys.rsa, { alg = "PS256" })) }, "no key for RS256")
    refused(token, { jwks = set_of(jwk(keys.rsa, { key_ops = { "sign" } })) }, "no key for RS256")
    t.assert(jwt.verify(token, { jwks = set_of(jwk(keys.rsa, { use = "sig", key_ops = { "verify" } })) }))
  end)

  t.test("says what is wrong with its keys", function()
    local token = jwt.sign({}, { key = keys.p256.private, algorithm = "ES256" })
    refused(token, { jwks = {} }, "no list 'keys'")
    refused(token, { jwks = set_of { kty = "XY" } }, "key type 'XY'")
    refused(token, { jwks = set_of { kty = "EC", crv = "P-1" } }, "curve 'P%-1'")
    refused(token, { jwks = set_of { kty = "EC", crv = "P-256", x = "AA" } }, "'x' does not have 32 bytes")
    refused(token, { jwks = set_of { kty = "EC", crv = "P-256", x = 1 } }, "'x' is missing")
    refused(token, { jwks = set_of { kty = "RSA", n = "AQAB", e = "AQAB" } }, "'n' does not have 256 to")
  end)
end)

t.describe("keys at a URL", function()
  local url = "https://id.example/keys"
  local host, served, stub

  t.before_each(function()
    host = t.load { source = [[
      local rest = require "resthost"
      local jwt = require "resthost.jwt"
      local results = rest.service { name = "results", base_url = "https://results.example" }
      results:computed("/{token}", { expiration_time = 0 }, function(params)
        local claims, err = jwt.verify(params.token, { jwks = "https://id.example/keys" })
        return { sub = claims and claims.sub or "", err = err or "" }
      end)
    ]] }
    served = { keys = { jwk(keys.p256, { kid = "old" }) } }
    stub = host:stub("GET", url, function() return { text = rest.json.encode(served) } end)
  end)

  local function check(key, algorithm, id)
    local options = { key = key.private, algorithm = algorithm, header = { kid = id } }
    local token = jwt.sign({ sub = "ada" }, options)
    return t.assert(host.services.results:resource(token):get())
  end

  t.test("are loaded once", function()
    t.equal(check(keys.p256, "ES256", "old"), { sub = "ada", err = "" })
    t.equal(check(keys.p256, "ES256", "old").sub, "ada")
    t.equal(#stub.requests, 1)
    host:advance(601)
    t.equal(check(keys.p256, "ES256", "old").sub, "ada")
    t.equal(#stub.requests, 2)
  end)

  t.test("are loaded again for an unknown ID, once a minute", function()
    t.equal(check(keys.p256, "ES256", "old").sub, "ada")
    host:advance(61)
    served = { keys = { jwk(keys.rsa, { kid = "new" }) } }
    t.equal(check(keys.rsa, "RS256", "new"), { sub = "ada", err = "" })
    t.equal(#stub.requests, 2)
    for number = 1, 5 do t.matches(check(keys.p256, "ES256", "x" .. number).err, "no key with the ID") end
    t.equal(#stub.requests, 2)
    host:advance(61)
    t.matches(check(keys.p256, "ES256", "y").err, "no key with the ID 'y'")
    t.equal(#stub.requests, 3)
  end)

  t.test("stay in use for a day when they can't be loaded again", function()
    t.equal(check(keys.p256, "ES256", "old").sub, "ada")
    stub = host:stub("GET", url, { status = 503 })
    host:advance(601)
    t.equal(check(keys.p256, "ES256", "old"), { sub = "ada", err = "" })
    t.equal(#stub.requests, 1)
    host:advance(24 * 3600)
    t.matches(check(keys.p256, "ES256", "old").err, "can't load the keys")
  end)

  t.test("that can't be loaded are an error with the URL", function()
    host:stub("GET", url, { status = 503 })
    t.matches(check(keys.p256, "ES256", "old").err, "can't load the keys of https://id.example/keys: .*503")
    host:advance(2)
    host:stub("GET", url, { text = "<html>" })
    t.matches(check(keys.p256, "ES256", "old").err, "https://id.example/keys gave no key set")
  end)
end)

t.describe("a mistake of the script", function()
  t.test("is an error that names it", function()
    t.raises(function() jwt.verify("a.b.c", {}) end, "either 'key' or 'jwks'")
    t.raises(function() jwt.verify("a.b.c", { key = "a", jwks = {} }) end, "either 'key' or 'jwks'")
    t.raises(function() jwt.sign({}, { key = "a", algorithm = "none" }) end, "bad option 'algorithm'")
    t.raises(function() jwt.sign({}, { key = keys.rsa.public, algorithm = "HS256" }) end, "shared secret")
    t.raises(function() jwt.sign({}, { key = keys.rsa.public, algorithm = "RS256" }) end, "does not sign")
    t.raises(function() jwt.sign({}, { key = "", algorithm = "HS256" }) end, "'key' is empty")
    t.raises(function() jwt.sign("x", { key = "a", algorithm = "HS256" }) end, "claims, not a string")
    t.raises(function()
      jwt.sign({}, { key = secret, algorithm = "HS256", header = { alg = "HS512" } })
    end, "the header says alg = 'HS512'")
    t.raises(function()
      jwt.sign({}, { key = secret, algorithm = "HS256", header = { crit = { "x" } } })
    end, "'crit'")
    t.raises(function() jwt.sign({}, { key = secret, algoritm = "HS256" }) end, "did you mean 'algorithm'")
  end)
end)
