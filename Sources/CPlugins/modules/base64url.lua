-- Bytes in the alphabet for URLs, without padding (RFC 4648 5).
local rest = require "resthost"

return function(bytes)
  return (rest.base64.encode(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end
