---@meta resthost.jwt
-- Written by `resthost types`; changes are lost.

---Signs and verifies JSON Web Tokens (RFC 7519).
---@class resthost.jwt
local jwt = {}

---@class resthost.jwt.sign.options
---@field key string A private key in PEM, or for HS a shared secret.
---@field algorithm "HS256"|"HS384"|"HS512"|"RS256"|"RS384"|"RS512"|"PS256"|"PS384"|"PS512"|"ES256"|"ES384"|"ES512"|"EdDSA" How to sign it.
---@field header? table Further fields of the header, such as `kid`.

---A signed token. Times with a fraction (`exp`, `nbf`, `iat`) become whole seconds.
---@param claims table
---@param options resthost.jwt.sign.options
---@return string
function jwt.sign(claims, options) end

---@class resthost.jwt.verify.options
---@field key? string A public key or a certificate in PEM, or for HS a shared secret.
---@field jwks? string|table A JWK Set, or the `https` URL of one. Its keys are loaded again after 10 minutes, and for an unknown key ID, but not twice in a minute.
---@field algorithms? ("HS256"|"HS384"|"HS512"|"RS256"|"RS384"|"RS512"|"PS256"|"PS384"|"PS512"|"ES256"|"ES384"|"ES512"|"EdDSA")[] The algorithms that are allowed; default: HS for a secret, else the others.
---@field issuer? string|string[] The claim `iss` has to be this.
---@field audience? string|string[] The claim `aud` has to name one of these. Without it a token with `aud` is refused.
---@field leeway? number By how much the clocks may differ. In seconds. 0 to 300. Default: `30`.
---@field required? string[] Claims that it must have. Default: `{}`.

---The claims of a token, or nil and what is wrong with it. It waits when it loads keys.
---@param token string
---@param options resthost.jwt.verify.options
---@return table|nil
---@return string?
function jwt.verify(token, options) end

return jwt
