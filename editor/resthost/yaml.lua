---@meta resthost.yaml
-- Written by `resthost types`; changes are lost.

---@class resthost.yaml.options
---@field documents? boolean Gives a list of all documents.
---@field content_types? string[] The content types that it is for. Default: `{ "application/yaml", "*/*+yaml", "text/yaml", "application/x-yaml", "text/x-yaml" }`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Decodes YAML bodies: their content is the value.
---@class resthost.yaml
local yaml = {}

---@param service resthost.service
---@param options resthost.yaml.options
function yaml.use(service, options) end

return yaml
