---@meta resthost.github_app
-- Written by `resthost types`; changes are lost.

---@class resthost.github_app.options
---@field app_id string|integer The ID of the app, or its client ID.
---@field private_key string The private key of the app, in PEM as GitHub gives it.
---@field installation_id string|integer The ID of the installation.
---@field api_url? string The URL of the API, such as `https://github.example.com/api/v3`. Default: `"https://api.github.com"`.
---@field repositories? string[] The repositories to limit the token to.
---@field permissions? table The permissions to limit the token to, by name.
---@field renew_before? number How long before its end a token is renewed, at most half of its lifetime. In seconds. 0 to 3600. Default: `30`.
---@field store? string The key of the token in `rest.store`; by default it is made of the other options.
---@field transport? table The connection settings for the server of the tokens, as those of `rest.service`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Sends the token of an installation of a GitHub App, which it gets once for all requests and renews early.
---@class resthost.github_app
local github_app = {}

---@param service resthost.service
---@param options resthost.github_app.options
function github_app.use(service, options) end

return github_app
