-- A transformer for one kind of content: it only runs for JSON, for any resource.
local api = require "service" "content_type"

api:configure("**", function(c)
  c.pipeline.model:add(function(json)
    json.checked = true
    return json
  end, { content_types = { "*/json", "*/*+json" } })
end)

return api
