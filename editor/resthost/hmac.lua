---@meta resthost.hmac
-- Written by `resthost types`; changes are lost.

---@class resthost.hmac.options
---@field secret string The shared secret.
---@field secret_encoding? "text"|"hex"|"base64" How the secret is written. Default: `"text"`.
---@field header string The header with the signature.
---@field template string The text that is signed, with names in braces: `{method}`, `{path}`, `{query}`, `{sorted_query}`, `{host}`, `{url}`, `{timestamp}`, `{nonce}`, `{key_id}`, `{body}`, `{body_sha256}` (also `md5`, `sha1`, `sha384`, `sha512`) and `{header:Name}`. A line break is `\n`.
---@field algorithm? "sha1"|"sha256"|"sha384"|"sha512" The hash of the HMAC. Default: `"sha256"`.
---@field encoding? "hex"|"base64"|"base64url" How the signature is written. Default: `"hex"`.
---@field digest_encoding? "hex"|"base64"|"base64url" How digests of bodies are written. Default: `"hex"`.
---@field format? string The value of the header, such as `sha256={signature}`, with the names of the template. Default: `"{signature}"`.
---@field key_id? string The name of the key, for `{key_id}`.
---@field timestamp_header? string A header that gets the time for `{timestamp}`.
---@field timestamp_format? "unix"|"unix_ms"|"iso8601"|"http" How the time is written. Default: `"unix"`.
---@field nonce_header? string A header that gets the UUID for `{nonce}`.
---@field digest_header? string A header that gets the SHA-256 of the body.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Signs each request with a shared secret (HMAC), by a template of what is signed.
---@class resthost.hmac
local hmac = {}

---@param service resthost.service
---@param options resthost.hmac.options
function hmac.use(service, options) end

return hmac
