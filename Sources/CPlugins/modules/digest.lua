-- Answers the server's Digest challenges with a name and a password (RFC 7616).
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

return plugin {
  name = "digest",
  description = "Answers Digest challenges with a name and a password (RFC 7616: MD5, SHA-256, SHA-512-256).",
  options = scope.options {
    { name = "username", type = "string", required = true, description = "The name." },
    { name = "password", type = "string", required = true, secret = true, description = "The password." },
  },
  use = function(service, options)
    local authenticate = rest.auth.digest(options.username, options.password)
    scope.configure(service, options, "digest", function(c) c:decorate_requests(authenticate) end)
  end,
}
