-- Signs and verifies JSON Web Tokens (RFC 7519).
local rest = require "resthost"
local base64url = require "resthost.base64url"
local jwk = require "resthost.jwk"
local plugin = require "resthost.plugin"
local remote = require "resthost.remote"

local most_bytes = 64 * 1024
local hashes = { HS256 = "sha256", HS384 = "sha384", HS512 = "sha512" }
local asymmetric = {
  "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
}
local is_known = { HS256 = true, HS384 = true, HS512 = true }
for _, name in ipairs(asymmetric) do is_known[name] = true end

-- A key in PEM, or of SSH, is no secret: its public part would sign as if it were (RFC 8725 2.1).
local function looks_public(key) return key:find "%-%-%-%-%-BEGIN" ~= nil or key:find "^%s*ssh%-" ~= nil end

local function has(list, value)
  for _, item in ipairs(type(list) == "table" and list or { list }) do
    if item == value then return true end
  end
  return false
end

-- Signing

local function whole_seconds(claims)
  local copy = rest.json.object {}
  for name, value in pairs(claims) do
    local is_time = name == "exp" or name == "nbf" or name == "iat"
    copy[name] = is_time and math.type(value) == "float" and math.floor(value) or value
  end
  return copy
end

local function signature(algorithm, key, text)
  local hash = hashes[algorithm]
  if not hash then
    local signed, bytes = pcall(rest.crypto.sign, algorithm, key, text)
    if signed then return bytes end
    local wanted = "the key does not sign with %s: it has to be a private key for that, in PEM"
    return plugin.blame(wanted:format(algorithm))
  end
  if looks_public(key) then
    plugin.blame(("%s takes a shared secret, but 'key' is in PEM"):format(algorithm))
  end
  if key == "" then plugin.blame(("%s takes a secret, but 'key' is empty"):format(algorithm)) end
  return rest.crypto.hmac(hash, key, text)
end

local function sign(claims, options)
  if type(claims) ~= "table" then
    plugin.blame(("'jwt.sign' takes a table of claims, not a %s"):format(type(claims)))
  end
  local algorithm, header = options.algorithm, rest.json.object { typ = "JWT" }
  for name, value in pairs(options.header or {}) do header[name] = value end
  if header.alg and header.alg ~= algorithm then
    local given = tostring(header.alg)
    plugin.blame(("the header says alg = '%s', but 'algorithm' is '%s'"):format(given, algorithm))
  end
  if header.crit then plugin.blame "the header has 'crit', but no extension is known here" end
  header.alg = algorithm
  local body = rest.json.encode(whole_seconds(claims))
  local text = base64url(rest.json.encode(header)) .. "." .. base64url(body)
  return text .. "." .. base64url(signature(algorithm, options.key, text))
end

-- Verifying

local function part(text, name)
  local bytes = text:find "^[%w_-]*$" and rest.base64.decode(text)
  if not bytes then return nil, ("the token's %s is not base64url"):format(name) end
  return bytes
end

local function object(text, name)
  local bytes, err = part(text, name)
  if not bytes then return nil, err end
  local value = rest.json.decode(bytes)
  if type(value) ~= "table" or bytes:find "^%s*%[" then
    return nil, ("the token's %s is not a JSON object"):format(name)
  end
  return value
end

local key_sets = {}

-- The resource of a key set. Its host counts as one that the script declares.
local function key_set(url)
  if key_sets[url] then return key_sets[url] end
  if not remote.is_safe(url) then plugin.blame(("'jwks' has to be an https URL, not '%s'"):format(url)) end
  local keys = remote.service("keys of " .. rest.url.parse(url).host, url)
  keys:configure("**", { description = "jwt" }, function(c)
    c.expiration_time, c.stale_if_error = 600, 24 * 3600
    c.pipeline.parsing:add(function(body)
      local set = rest.json.decode(body)
      if type(set) == "table" and type(set.keys) == "table" then return set end
      return nil, ("%s gave no key set (RFC 7517)"):format(c.url)
    end)
  end)
  key_sets[url] = { resource = keys:resource_at(url), tried = -math.huge }
  return key_sets[url]
end

-- The keys at a URL for an algorithm and a key ID. An unknown ID loads them again, once a minute at most.
local function loaded_keys(url, algorithm, id)
  local source = key_set(url)
  if not source.resource.is_up_to_date then source.tried = rest.now() end
  local set, err = source.resource:get()
  if not set then return nil, ("can't load the keys of %s: %s"):format(url, tostring(err)) end
  local keys, reason = jwk.choose(set, algorithm, id)
  if keys or math.abs(rest.now() - source.tried) < 60 then return keys, reason end
  source.tried = rest.now()
  local entity
  entity, err = source.resource:load():await()
  if not entity then return nil, ("can't load the keys of %s: %s"):format(url, tostring(err)) end
  return jwk.choose(entity.content, algorithm, id)
end

local function is_signed(algorithm, key, text, bytes)
  if hashes[algorithm] then
    local secret = key.secret
    if not secret then return false end
    return rest.crypto.constant_time_equal(rest.crypto.hmac(hashes[algorithm], secret, text), bytes)
  end
  local could_check, is_valid = pcall(rest.crypto.verify, algorithm, key.pem or "", text, bytes)
  return could_check and is_valid
end

local function candidates(header, options)
  if options.key then
    return { looks_public(options.key) and { pem = options.key } or { secret = options.key } }
  end
  if type(options.jwks) == "table" then return jwk.choose(options.jwks, header.alg, header.kid) end
  return loaded_keys(options.jwks, header.alg, header.kid)
end

-- Without the option, a key decides: PEM and key sets for public keys, a secret for HS.
local function allowed(options)
  if options.algorithms then return options.algorithms end
  if options.key and not looks_public(options.key) then return { "HS256", "HS384", "HS512" } end
  return asymmetric
end

local function checked_header(text, options)
  local header, err = object(text, "header")
  if not header then return nil, err end
  if type(header.alg) ~= "string" then return nil, "the token's header names no algorithm (alg)" end
  if header.alg == "none" then return nil, "the token is not signed (alg 'none')" end
  if header.crit ~= nil then return nil, "the token needs an extension that is not known here (crit)" end
  if not has(allowed(options), header.alg) or not is_known[header.alg] then
    return nil, ("the token's algorithm is not allowed: %s"):format(header.alg:sub(1, 100))
  end
  return header
end

local function checked_times(claims, leeway)
  local now = rest.now()
  for _, name in ipairs { "exp", "nbf", "iat" } do
    if claims[name] ~= nil and type(claims[name]) ~= "number" then
      return nil, ("the token's time '%s' is not a number"):format(name)
    end
  end
  if claims.exp and now >= claims.exp + leeway then return nil, "the token has expired (exp)" end
  if claims.nbf and now < claims.nbf - leeway then return nil, "the token is not valid yet (nbf)" end
  if claims.iat and now < claims.iat - leeway then return nil, "the token is from the future (iat)" end
  return true
end

local function checked_claims(claims, options)
  for _, name in ipairs(options.required) do
    if claims[name] == nil then return nil, ("the token has no claim '%s'"):format(name) end
  end
  local is_current, err = checked_times(claims, options.leeway)
  if not is_current then return nil, err end
  if options.issuer and not has(options.issuer, claims.iss) then
    return nil, "the token is of another issuer (iss)"
  end
  if options.audience then
    local audiences = type(options.audience) == "table" and options.audience or { options.audience }
    for _, audience in ipairs(audiences) do
      if has(claims.aud, audience) then return claims end
    end
    return nil, "the token is for another audience (aud)"
  end
  if claims.aud ~= nil then
    return nil, "the token is for an audience (aud): name yours with option 'audience'"
  end
  return claims
end

local function verify(token, options)
  if (options.key == nil) == (options.jwks == nil) then
    plugin.blame "'jwt.verify' takes either 'key' or 'jwks'"
  end
  if type(token) ~= "string" then return nil, ("a token is a text, not a %s"):format(type(token)) end
  if #token > most_bytes then return nil, "the token has more than 64 KiB" end
  local head, body, tail = token:match "^([^.]+)%.([^.]*)%.([^.]*)$"
  if not head then return nil, "the token does not have three parts" end
  local header, err = checked_header(head, options)
  if not header then return nil, err end
  local bytes
  bytes, err = part(tail, "signature")
  if not bytes then return nil, err end
  local keys
  keys, err = candidates(header, options)
  if not keys then return nil, err end
  local is_valid = false
  for _, key in ipairs(keys) do
    is_valid = is_valid or is_signed(header.alg, key, head .. "." .. body, bytes)
  end
  if not is_valid then return nil, "the token's signature is wrong" end
  local claims
  claims, err = object(body, "claims")
  if not claims then return nil, err end
  return checked_claims(claims, options)
end

local algorithm_type = [["HS256" | "HS384" | "HS512" | "RS256" | "RS384" | "RS512" | "PS256" | "PS384" ]]
  .. [[| "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA"]]

return plugin {
  name = "jwt",
  description = "Signs and verifies JSON Web Tokens (RFC 7519).",
  functions = {
    {
      name = "sign", signature = "(claims: table, options: { ... }) -> string", options_at = 2, call = sign,
      description = "A signed token. Times with a fraction (`exp`, `nbf`, `iat`) become whole seconds.",
      options = {
        {
          name = "key", type = "string", required = true, secret = true,
          description = "A private key in PEM, or for HS a shared secret.",
        },
        { name = "algorithm", type = algorithm_type, required = true, description = "How to sign it." },
        { name = "header", type = "table", description = "Further fields of the header, such as `kid`." },
      },
    },
    {
      name = "verify", options_at = 2,
      signature = "(token: string, options: { ... }) -> table | nil, message",
      description = "The claims of a token, or nil and what is wrong with it. It waits when it loads keys.",
      call = verify,
      options = {
        {
          name = "key", type = "string", secret = true,
          description = "A public key or a certificate in PEM, or for HS a shared secret.",
        },
        {
          name = "jwks", type = "string | table",
          description = "A JWK Set, or the `https` URL of one. Its keys are loaded again after "
            .. "10 minutes, and for an unknown key ID, but not twice in a minute.",
        },
        {
          name = "algorithms", type = ("(%s)[]"):format(algorithm_type),
          description = "The algorithms that are allowed; default: HS for a secret, else the others.",
        },
        { name = "issuer", type = "string | string[]", description = "The claim `iss` has to be this." },
        {
          name = "audience", type = "string | string[]",
          description = "The claim `aud` has to name one of these. Without it a token with `aud` is refused.",
        },
        {
          name = "leeway", type = "number", default = 30, least = 0, most = 300, unit = "seconds",
          description = "By how much the clocks may differ.",
        },
        { name = "required", type = "string[]", default = {}, description = "Claims that it must have." },
      },
    },
  },
}
