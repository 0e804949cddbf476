---@meta resthost.xml
-- Written by `resthost types`; changes are lost.

---@class resthost.xml.options
---@field mixed? boolean Keeps each piece of text as a string among the children.
---@field max_nodes? integer Elements and attributes of a document; default: 1,000,000.
---@field content_types? string[] The content types that it is for. Default: `{ "*/xml", "*/*+xml" }`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Decodes XML bodies: their content is the outermost element, a table.
---@class resthost.xml
local xml = {}

---@param service resthost.service
---@param options resthost.xml.options
function xml.use(service, options) end

return xml
