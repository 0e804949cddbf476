---@meta resthost.kubernetes
-- Written by `resthost types`; changes are lost.

---Lists and watches objects of a Kubernetes cluster, with the service account of the pod.
---@class resthost.kubernetes
local kubernetes = {}

---@class resthost.kubernetes.cluster.options
---@field name? string The name of the service. Default: `"kubernetes"`.
---@field url? string The address of the API. Default: `"https://kubernetes.default.svc"`.
---@field token? string|false A token in place of a file, or false for none, as with `kubectl proxy`.
---@field token_file? string The file of the token, which is read again each minute. Default: `"/var/run/secrets/kubernetes.io/serviceaccount/token"`.
---@field ca_file? string The certificates to trust; default: those of the pod for the default `url`.

---Declares the service of a cluster, by default the pod's. Its files need `--allow-read`.
---@param options? resthost.kubernetes.cluster.options
---@return resthost.service
function kubernetes.cluster(options) end

---@class resthost.kubernetes.list.options
---@field label_selector? string Selects by labels, such as `app=web,tier!=test`.
---@field field_selector? string Selects by fields, such as `status.phase=Running`.
---@field limit? integer The objects of one answer. 1 or more. Default: `500`.
---@field max_items? integer The most objects; one more is an error. 1 or more. Default: `100000`.

---The objects at a path, such as `/api/v1/namespaces/web/pods`, and the list's version; or nil and an error.
---@param service resthost.service
---@param path string
---@param options? resthost.kubernetes.list.options
---@return table[]|nil
---@return any?
function kubernetes.list(service, path, options) end

---@class resthost.kubernetes.watch.options
---@field timeout? integer The time after which the server ends a watch, which then goes on with another. In seconds. 1 to 86400. Default: `300`.
---@field label_selector? string Selects by labels, such as `app=web,tier!=test`.
---@field field_selector? string Selects by fields, such as `status.phase=Running`.
---@field limit? integer The objects of one answer. 1 or more. Default: `500`.
---@field max_items? integer The most objects; one more is an error. 1 or more. Default: `100000`.

---Calls fn with each object (`ADDED`), then with each change: `type`, `object`. It waits until fn returns false. After a failure it tells what was missed; the object of a missed deletion has its names only.
---@param service resthost.service
---@param path string
---@param fn fun(event: table)
---@param options? resthost.kubernetes.watch.options
---@return true|nil
---@return resthost.error?
function kubernetes.watch(service, path, fn, options) end

return kubernetes
