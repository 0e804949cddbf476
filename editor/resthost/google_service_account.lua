---@meta resthost.google_service_account
-- Written by `resthost types`; changes are lost.

---@class resthost.google_service_account.options
---@field key_file? string The account's key file (JSON), relative to the script's folder.
---@field key? string|table Its content, not a file.
---@field scopes? string|string[] The scopes to ask for.
---@field audience? string The API, such as `https://pubsub.googleapis.com/`: the account signs tokens for it itself, and no server is asked.
---@field subject? string The user to act for, if the domain permits it.
---@field renew_before? number How long before its end a token is renewed, at most half of its lifetime. In seconds. 0 to 3600. Default: `30`.
---@field store? string The key of the token in `rest.store`; by default it is made of the other options.
---@field transport? table The connection settings for the server of the tokens, as those of `rest.service`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Sends the token of a Google service account, which it gets once for all requests and renews early.
---@class resthost.google_service_account
local google_service_account = {}

---@param service resthost.service
---@param options resthost.google_service_account.options
function google_service_account.use(service, options) end

return google_service_account
