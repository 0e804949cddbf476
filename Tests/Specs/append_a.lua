local rest = require "resthost"

return function(content)
  rest.store:incr "calls"
  return content .. "a"
end
