---@meta resthost.api_key
-- Written by `resthost types`; changes are lost.

---@class resthost.api_key.options
---@field header? string The name of the header, such as `X-Api-Key`.
---@field query? string The name of the parameter, in place of a header.
---@field value string The key.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Sends an API key in a header or in the query.
---@class resthost.api_key
local api_key = {}

---@param service resthost.service
---@param options resthost.api_key.options
function api_key.use(service, options) end

return api_key
