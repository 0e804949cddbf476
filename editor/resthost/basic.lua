---@meta resthost.basic
-- Written by `resthost types`; changes are lost.

---@class resthost.basic.options
---@field username string The name.
---@field password string The password.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Sends a name and a password with each request (RFC 7617).
---@class resthost.basic
local basic = {}

---@param service resthost.service
---@param options resthost.basic.options
function basic.use(service, options) end

return basic
