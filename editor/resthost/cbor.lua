---@meta resthost.cbor
-- Written by `resthost types`; changes are lost.

---@class resthost.cbor.options
---@field sequence? boolean Gives a list of all values that follow each other.
---@field content_types? string[] The content types that it is for. Default: `{ "application/cbor", "*/*+cbor" }`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Decodes CBOR bodies: their content is the value.
---@class resthost.cbor
local cbor = {}

---@param service resthost.service
---@param options resthost.cbor.options
function cbor.use(service, options) end

return cbor
