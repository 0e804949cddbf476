---@meta resthost.etcd
-- Written by `resthost types`; changes are lost.

---Reads, writes and watches keys of etcd by its JSON gateway, which is at `base_url`.
---@class resthost.etcd
local etcd = {}

---@class resthost.etcd.get.options
---@field revision? integer The revision to read; default: the latest.

---An entry with `key`, `value`, `version`, `created`, `modified` and `lease`, or false if there is none.
---@param service resthost.service
---@param key string
---@param options? resthost.etcd.get.options
---@return table|false|nil
---@return resthost.error?
function etcd.get(service, key, options) end

---@class resthost.etcd.range.options
---@field revision? integer The revision to read; default: the latest.
---@field limit? integer The most entries. 1 or more.

---The entries whose keys begin with the prefix, and the revision; or nil and an error.
---@param service resthost.service
---@param prefix string
---@param options? resthost.etcd.range.options
---@return table[]|nil
---@return any?
function etcd.range(service, prefix, options) end

---@class resthost.etcd.put.options
---@field lease? integer The lease with which the entry ends.
---@field if_revision? integer Writes only if `modified` of the entry is this, or 0 for none; else gives false. 0 or more.

---Writes an entry, and gives the revision.
---@param service resthost.service
---@param key string
---@param value string
---@param options? resthost.etcd.put.options
---@return integer|false|nil
---@return resthost.error?
function etcd.put(service, key, value, options) end

---@class resthost.etcd.delete.options
---@field prefix? boolean Takes all keys that begin with the key. Default: `false`.

---Deletes entries, and gives how many there were.
---@param service resthost.service
---@param key string
---@param options? resthost.etcd.delete.options
---@return integer|nil
---@return resthost.error?
function etcd.delete(service, key, options) end

---Makes a lease that ends unless it is kept alive, and gives its ID.
---@param service resthost.service
---@param seconds integer
---@return integer|nil
---@return resthost.error?
function etcd.grant(service, seconds) end

---Renews a lease, and gives the seconds that it has.
---@param service resthost.service
---@param lease integer
---@return integer|nil
---@return resthost.error?
function etcd.keep_alive(service, lease) end

---Ends a lease, and deletes its entries.
---@param service resthost.service
---@param lease integer
---@return true|nil
---@return resthost.error?
function etcd.revoke(service, lease) end

---@class resthost.etcd.watch.options
---@field prefix? boolean Takes all keys that begin with the key. Default: `false`.
---@field revision? integer The first revision to see; default: what comes.
---@field previous? boolean Gives the entry before the change, too. Default: `false`.

---Calls fn with each change: `type` (`put`, `delete`), `entry`, `previous`. It waits until fn returns false, and connects again after a failure. Compacted revisions are an error.
---@param service resthost.service
---@param key string
---@param fn fun(change: table)
---@param options? resthost.etcd.watch.options
---@return true|nil
---@return resthost.error?
function etcd.watch(service, key, fn, options) end

return etcd
