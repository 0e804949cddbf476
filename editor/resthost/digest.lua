---@meta resthost.digest
-- Written by `resthost types`; changes are lost.

---@class resthost.digest.options
---@field username string The name.
---@field password string The password.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Answers Digest challenges with a name and a password (RFC 7616: MD5, SHA-256, SHA-512-256).
---@class resthost.digest
local digest = {}

---@param service resthost.service
---@param options resthost.digest.options
function digest.use(service, options) end

return digest
