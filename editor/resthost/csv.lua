---@meta resthost.csv
-- Written by `resthost types`; changes are lost.

---@class resthost.csv.options
---@field header? boolean|string[] Whether the first row has the names of the columns; or the names. Default: true.
---@field separator? string The character between fields; default: a comma.
---@field ragged? boolean Allows rows with fewer or more fields.
---@field types? table Types of columns by name, such as `{ price = "number" }`.
---@field content_types? string[] The content types that it is for. Default: `{ "text/csv", "text/tab-separated-values" }`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Decodes CSV bodies: their content is a list of rows.
---@class resthost.csv
local csv = {}

---@param service resthost.service
---@param options resthost.csv.options
function csv.use(service, options) end

return csv
