local rest = require "resthost"

local schema = rest.schema.compile { required = { "id" } }

return function(content)
  return {
    id = rest.json.pointer(content, "/id"),
    tag = rest.json.path(content, "$.tags[0]")[1],
    valid = (schema:validate(content)),
  }
end
