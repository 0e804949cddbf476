-- Sends a name and a password with each request (RFC 7617).
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

return plugin {
  name = "basic",
  description = "Sends a name and a password with each request (RFC 7617).",
  options = scope.options {
    { name = "username", type = "string", required = true, description = "The name." },
    { name = "password", type = "string", required = true, secret = true, description = "The password." },
  },
  use = function(service, options)
    local authenticate = rest.auth.basic(options.username, options.password)
    scope.configure(service, options, "basic", function(c) c:decorate_requests(authenticate) end)
  end,
}
