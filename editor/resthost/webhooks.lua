---@meta resthost.webhooks
-- Written by `resthost types`; changes are lost.

---Receives webhooks whose signature is right, each once, and sends signed ones.
---@class resthost.webhooks
local webhooks = {}

---@class resthost.webhooks.route.options
---@field provider "github"|"stripe"|"slack"|"standard"|"hmac" The sender; `standard` is Standard Webhooks, `hmac` a digest in a header.
---@field secret string|string[] The secret, or several of which one must fit, while a secret is replaced.
---@field tolerance? integer How far a timestamp may be from this clock, and how long replays are noticed. In seconds. 1 to 86400. Default: `300`.
---@field header? string For `hmac`: the header with the signature in hexadecimal digits or base64, with or without `sha256=`; default: `X-Signature`.
---@field id_header? string For `hmac`: the header with an ID.
---@field algorithm? "sha256"|"sha512"|"sha1" For `hmac`: the hash. Default: `"sha256"`.

---Adds a route for POST that calls `fn` with each webhook: a table with `id`, `type`, `timestamp`, `payload`, `body`, `provider` and `request`. A wrong signature gets 401, an old timestamp 400, and a replay, the same ID with the same signature within the tolerance, 409. When `fn` fails, the answer is 500, and the sender may try again.
---@param gateway resthost.gateway
---@param path string
---@param options resthost.webhooks.route.options
---@param fn fun(event: table): any
---@return resthost.gateway
function webhooks.route(gateway, path, options, fn) end

---@class resthost.webhooks.send.options.retry
---@field attempts? integer Attempts in all. 1 to 100. Default: `5`.
---@field base? number The first wait; it doubles from one to the next. In seconds. 0 or more. Default: `1`.
---@field cap? number The longest wait, that of `Retry-After` included. In seconds. 0 or more. Default: `60`.

---@class resthost.webhooks.send.options
---@field secret string|string[] The secret, or several of which one must fit, while a secret is replaced.
---@field id? string The ID of the event; default: a random one.
---@field retry? resthost.webhooks.send.options.retry How often it is sent; default: 5 attempts.

---Posts an event, signed as Standard Webhooks says, and waits for the answer. Each attempt has the same ID and a timestamp of its own. Every failure is tried again but 410.
---@param target string|resthost.service|resthost.definition
---@param event string|table
---@param options resthost.webhooks.send.options
---@return { id: string, status: integer, attempts: integer }|nil
---@return resthost.error?
function webhooks.send(target, event, options) end

return webhooks
