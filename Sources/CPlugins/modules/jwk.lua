-- Public keys as JSON (RFC 7517, JWK), made into what `rest.crypto.verify` takes: PEM.
local rest = require "resthost"

local jwk = {}

-- A value of DER (X.690): its tag, its length and its content.
local function der(tag, ...)
  local content = table.concat { ... }
  local length = #content
  if length < 128 then return string.char(tag, length) .. content end
  local digits = ""
  while length > 0 do
    digits = string.char(length & 255) .. digits
    length = length >> 8
  end
  return string.char(tag, 128 + #digits) .. digits .. content
end

local function sequence(...) return der(0x30, ...) end
local function bits(content) return der(0x03, "\0", content) end
local function object_identifier(hex) return der(0x06, rest.hex.decode(hex)) end

-- A positive number. One whose first bit is set would be negative without a byte of zero.
local function integer(bytes)
  bytes = bytes:gsub("^\0+", "")
  if bytes == "" or bytes:byte() > 127 then bytes = "\0" .. bytes end
  return der(0x02, bytes)
end

local function pem(bytes)
  local text = rest.base64.encode(bytes):gsub(("."):rep(64), "%0\n"):gsub("\n$", "")
  return ("-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"):format(text)
end

local rsa_encryption = object_identifier "2a864886f70d010101"
local ec_public_key = object_identifier "2a8648ce3d0201"
local ed25519 = object_identifier "2b6570"
local curves = {
  ["P-256"] = { id = object_identifier "2a8648ce3d030107", size = 32, algorithm = "ES256" },
  ["P-384"] = { id = object_identifier "2b81040022", size = 48, algorithm = "ES384" },
  ["P-521"] = { id = object_identifier "2b81040023", size = 66, algorithm = "ES512" },
}
local null = der(0x05)

-- The bytes of a member in base64url, whose length has bounds.
local function member(key, name, least, most)
  local text = key[name]
  if type(text) ~= "string" or not text:find "^[%w_-]+$" then
    return nil, ("the key's '%s' is missing, or is not base64url"):format(name)
  end
  local bytes = rest.base64.decode(text)
  if not bytes or #bytes < least or #bytes > most then
    local length = least == most and least or ("%d to %d"):format(least, most)
    return nil, ("the key's '%s' does not have %s bytes"):format(name, length)
  end
  return bytes
end

local readers = {}

-- RFC 7518 6.3.1, RFC 8017 A.1.1. RS and PS need 2048 bits at least (RFC 7518 3.3).
function readers.RSA(key)
  local modulus, err = member(key, "n", 256, 2048)
  if not modulus then return nil, err end
  local exponent
  exponent, err = member(key, "e", 1, 8)
  if not exponent then return nil, err end
  local numbers = sequence(integer(modulus), integer(exponent))
  return { pem = pem(sequence(sequence(rsa_encryption, null), bits(numbers))), family = "RSA" }
end

-- RFC 7518 6.2.1, RFC 5480.
function readers.EC(key)
  local curve = curves[key.crv]
  if not curve then return nil, ("the curve '%s' is not known"):format(tostring(key.crv)) end
  local x, err = member(key, "x", curve.size, curve.size)
  if not x then return nil, err end
  local y
  y, err = member(key, "y", curve.size, curve.size)
  if not y then return nil, err end
  local point = "\4" .. x .. y
  return { pem = pem(sequence(sequence(ec_public_key, curve.id), bits(point))), family = curve.algorithm }
end

-- RFC 8037, RFC 8410.
function readers.OKP(key)
  if key.crv ~= "Ed25519" then return nil, ("the curve '%s' is not known"):format(tostring(key.crv)) end
  local x, err = member(key, "x", 32, 32)
  if not x then return nil, err end
  return { pem = pem(sequence(sequence(ed25519), bits(x))), family = "EdDSA" }
end

-- RFC 7518 6.4: a secret, which both sides have.
function readers.oct(key)
  local secret, err = member(key, "k", 1, 4096)
  if not secret then return nil, err end
  return { secret = secret, family = "HMAC" }
end

-- The family of keys that an algorithm takes.
local function family_of(algorithm)
  if algorithm:find "^HS" then return "HMAC" end
  if algorithm:find "^[RP]S" then return "RSA" end
  return algorithm
end

--- A key with `pem`, or for `oct` with `secret`, and the family of its algorithms.
function jwk.read(key)
  local reader = readers[key.kty]
  if not reader then return nil, ("the key type '%s' is not known"):format(tostring(key.kty)) end
  return reader(key)
end

-- Whether a key says that it is for verifying signatures, of this algorithm if it names one (RFC 7517 4).
local function is_for(key, algorithm)
  if key.use ~= nil and key.use ~= "sig" then return false end
  if key.alg ~= nil and key.alg ~= algorithm then return false end
  if type(key.key_ops) ~= "table" then return true end
  for _, operation in ipairs(key.key_ops) do
    if operation == "verify" then return true end
  end
  return false
end

--- The keys of a set (JWK Set) for an algorithm and a key ID; nil and a message if there is none.
function jwk.choose(set, algorithm, id)
  if type(set) ~= "table" or type(set.keys) ~= "table" then
    return nil, "the key set has no list 'keys' (RFC 7517)"
  end
  local chosen, reason = {}, nil
  for place = 1, math.min(#set.keys, 100) do
    local key = set.keys[place]
    if type(key) == "table" and (id == nil or key.kid == id) and is_for(key, algorithm) then
      local read, err = jwk.read(key)
      if read and read.family == family_of(algorithm) then chosen[#chosen + 1] = read end
      reason = reason or err
    end
  end
  if #chosen > 0 then return chosen end
  local named = id and ("with the ID '%s' "):format(tostring(id):sub(1, 100)) or ""
  reason = reason and ": " .. reason or ""
  return nil, ("no key %sfor %s is in the key set%s"):format(named, algorithm, reason)
end

return jwk
