---@meta resthost.polling
-- Written by `resthost types`; changes are lost.

---Makes a stream of changes of an API that has no events.
---@class resthost.polling
local polling = {}

---@class resthost.polling.changes.options
---@field key? string|(fun(item: any): any) The path of an item's key, or a function that gives it. Default: `"id"`.
---@field items? string|(fun(content: any, entity: resthost.entity): table) The path of the list, or a function that gives it; default: the content itself.
---@field pages? table The options of `pages.all`, for a list in pages; `items` is then among them.
---@field interval? number The time between two polls. In seconds. 0.1 or more. Default: `60`.
---@field by? "hash"|"etag"|"updated_since" Compares all items, or none if the ETag is the same, or asks for changed ones only. Default: `"hash"`.
---@field parameter? string For `updated_since`: the parameter with the time of the latest change.
---@field field? string For `updated_since`: the path of that time in an item.
---@field sweep? integer For `updated_since`: one of so many polls reads the whole list, to find removals. 1 to 1000000. Default: `10`.
---@field initial? boolean Reports the items of the first poll as added. Default: `false`.
---@field previous? boolean Keeps the items for `previous`; else only a digest of each. Default: `true`.
---@field max_items? integer The most items that are known; more are an error. 1 to 1000000. Default: `10000`.
---@field max_wait? number The longest time until the next poll after failures, each of which doubles it. In seconds. 1 or more. Default: `600`.
---@field store? string The key in `rest.store`; default: made from the URL.

---Loads a list again and again, and calls fn with each change: its `type` is `added`, `changed` or `removed`, with `key`, `value` and `previous`. A change whose fn fails comes again. The state is kept in `rest.store`. The result has `cancel()` and the last `error`.
---@param resource resthost.resource
---@param options resthost.polling.changes.options
---@param fn fun(change: table)
---@return table
function polling.changes(resource, options, fn) end

return polling
