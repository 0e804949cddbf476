-- The API of all scripts in this folder. Each script has its own service for it.
local rest = require "resthost"

return function(name)
  return rest.service { name = name, base_url = os.getenv "API_URL" or "http://127.0.0.1:8081" }
end
