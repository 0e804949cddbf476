-- The options of the plugin `oauth2`.
local token_keeper = require "resthost.token_keeper"

local signing = [["RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" ]]
  .. [[| "ES256" | "ES384" | "ES512" | "EdDSA"]]

local options = {
  {
    name = "issuer", type = "string",
    description = "The URL of the server, whose document at `/.well-known/…` names its endpoints.",
  },
  { name = "token_url", type = "string", description = "The token endpoint, in place of `issuer`." },
  { name = "client_id", type = "string", required = true, description = "The name of the client." },
  { name = "client_secret", type = "string", secret = true, description = "Its secret." },
  {
    name = "client_auth", type = [["basic" | "post"]], default = "basic",
    description = "Where the secret is sent: in `Authorization`, or in the body.",
  },
  {
    name = "private_key", type = "string", secret = true,
    description = "A private key in PEM, with which the client signs in place of a secret (private_key_jwt).",
  },
  { name = "key_id", type = "string", description = "The ID of that key for the server (`kid`)." },
  { name = "algorithm", type = signing, default = "RS256", description = "The algorithm of that signature." },
  { name = "scope", type = "string", description = "The scopes to ask for, separated by spaces." },
  { name = "audience", type = "string", description = "The API that the token is for, if the server asks." },
  {
    name = "parameters", type = "table", default = {},
    description = "Further parameters of requests to the server, by name.",
  },
  {
    name = "refresh_token", type = "string | function(partition) -> string", secret = true,
    description = "A refresh token. A function gives one for each partition, which then has its own token.",
  },
  {
    name = "subject_token", type = "string | function(partition) -> string", secret = true,
    description = "A token to exchange for another (RFC 8693). A function gives one for each partition.",
  },
  { name = "subject_token_type", type = "string", description = "Its type; default: an access token." },
  { name = "actor_token", type = "string", secret = true, description = "The token of who acts." },
  { name = "actor_token_type", type = "string", description = "Its type; default: an access token." },
  { name = "requested_token_type", type = "string", description = "The type of the token to get." },
  {
    name = "login", type = [["code" | "device"]],
    description = "How a person logs in with `resthost login`: by authorization code with PKCE, or on "
      .. "another device. Needs `file`.",
  },
  { name = "authorization_url", type = "string", description = "The authorization endpoint, for `code`." },
  { name = "device_url", type = "string", description = "The device authorization endpoint, for `device`." },
  {
    name = "redirect_uri", type = "string",
    description = "The address that the server sends the browser to; default: one of this machine.",
  },
  {
    name = "file", type = "string",
    description = "A file for the tokens, relative to the script's folder, which outlives the program. Only "
      .. "its owner may read it (mode 600).",
  },
}

return table.move(token_keeper.options, 1, #token_keeper.options, #options + 1, options)
