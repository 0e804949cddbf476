---@meta resthost.prometheus
-- Written by `resthost types`; changes are lost.

---Asks the query API of Prometheus; its address is the service's `base_url`.
---@class resthost.prometheus
local prometheus = {}

---@class resthost.prometheus.query.options
---@field time? number The time, in Unix seconds; default: now.
---@field timeout? number The time that Prometheus may take. In seconds. 0 or more.

---Evaluates an expression: a list of series, each with `labels`, `time` and `value`. For a range vector each has `values`.
---@param service resthost.service
---@param expression string
---@param options? resthost.prometheus.query.options
---@return table[]|nil
---@return resthost.error?
function prometheus.query(service, expression, options) end

---@class resthost.prometheus.range.options
---@field start number The beginning, in Unix seconds.
---@field stop? number The end, in Unix seconds; default: now.
---@field step number The time between two values. In seconds. 0.001 or more.
---@field timeout? number The time that Prometheus may take. In seconds. 0 or more.

---Evaluates an expression over a time: a list of series, each with `labels` and `values`.
---@param service resthost.service
---@param expression string
---@param options resthost.prometheus.range.options
---@return table[]|nil
---@return resthost.error?
function prometheus.range(service, expression, options) end

---All values of a label, such as `job`.
---@param service resthost.service
---@param label string
---@return string[]|nil
---@return resthost.error?
function prometheus.values(service, label) end

return prometheus
