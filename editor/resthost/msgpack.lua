---@meta resthost.msgpack
-- Written by `resthost types`; changes are lost.

---@class resthost.msgpack.options
---@field sequence? boolean Gives a list of all values that follow each other.
---@field content_types? string[] The content types that it is for. Default: `{ "application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "*/*+msgpack" }`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Decodes MessagePack bodies: their content is the value.
---@class resthost.msgpack
local msgpack = {}

---@param service resthost.service
---@param options resthost.msgpack.options
function msgpack.use(service, options) end

return msgpack
