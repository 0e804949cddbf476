---@meta resthost.oauth2
-- Written by `resthost types`; changes are lost.

---@class resthost.oauth2.options
---@field issuer? string The URL of the server, whose document at `/.well-known/…` names its endpoints.
---@field token_url? string The token endpoint, in place of `issuer`.
---@field client_id string The name of the client.
---@field client_secret? string Its secret.
---@field client_auth? "basic"|"post" Where the secret is sent: in `Authorization`, or in the body. Default: `"basic"`.
---@field private_key? string A private key in PEM, with which the client signs in place of a secret (private_key_jwt).
---@field key_id? string The ID of that key for the server (`kid`).
---@field algorithm? "RS256"|"RS384"|"RS512"|"PS256"|"PS384"|"PS512"|"ES256"|"ES384"|"ES512"|"EdDSA" The algorithm of that signature. Default: `"RS256"`.
---@field scope? string The scopes to ask for, separated by spaces.
---@field audience? string The API that the token is for, if the server asks.
---@field parameters? table Further parameters of requests to the server, by name. Default: `{}`.
---@field refresh_token? string|(fun(partition: any): string) A refresh token. A function gives one for each partition, which then has its own token.
---@field subject_token? string|(fun(partition: any): string) A token to exchange for another (RFC 8693). A function gives one for each partition.
---@field subject_token_type? string Its type; default: an access token.
---@field actor_token? string The token of who acts.
---@field actor_token_type? string Its type; default: an access token.
---@field requested_token_type? string The type of the token to get.
---@field login? "code"|"device" How a person logs in with `resthost login`: by authorization code with PKCE, or on another device. Needs `file`.
---@field authorization_url? string The authorization endpoint, for `code`.
---@field device_url? string The device authorization endpoint, for `device`.
---@field redirect_uri? string The address that the server sends the browser to; default: one of this machine.
---@field file? string A file for the tokens, relative to the script's folder, which outlives the program. Only its owner may read it (mode 600).
---@field renew_before? number How long before its end a token is renewed, at most half of its lifetime. In seconds. 0 to 3600. Default: `30`.
---@field store? string The key of the token in `rest.store`; by default it is made of the other options.
---@field transport? table The connection settings for the server of the tokens, as those of `rest.service`.
---@field pattern? resthost.pattern The resources that it is for, as for `service:configure`; default: all below `base_url`.
---@field methods? string|string[] The methods that it is for; default: all.

---Gets tokens of an OAuth 2.0 server, sends them as `Authorization: Bearer`, and renews them once for all requests: before they expire, and when the API answers 401.
---@class resthost.oauth2
local oauth2 = {}

---@param service resthost.service
---@param options resthost.oauth2.options
function oauth2.use(service, options) end

---Logs a person in, and keeps the tokens in `file`. The target is a service that uses the plugin with `login`, or a table of options. The terminal has `print(text)`, `ask(prompt)`, which gives the address that the browser was sent to, and perhaps `listen(redirect_uri)`, which gives a redirect URI and a function that waits for the query. It waits.
---@param target resthost.service|table
---@param terminal table
---@return true|nil
---@return string?
function oauth2.login(target, terminal) end

---The services that use the plugin with `login`, as tables with `name` and `login(terminal)`.
---@return table[]
function oauth2.logins() end

return oauth2
