-- The API that all scripts of this folder talk to; each has a service of its own on it.
local rest = require "resthost"

return function(name)
  return rest.service { name = name, base_url = os.getenv "API_URL" or "http://127.0.0.1:8081" }
end
