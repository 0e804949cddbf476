-- Decodes YAML bodies of responses, in the stage before the standard transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

local types = { "application/yaml", "*/*+yaml", "text/yaml", "application/x-yaml", "text/x-yaml" }

return plugin {
  name = "yaml",
  description = "Decodes YAML bodies: their content is the value.",
  options = scope.options {
    { name = "documents", type = "boolean", description = "Gives a list of all documents." },
    { name = "content_types", type = "string[]", description = "The content types that it is for." },
  },
  use = function(service, options)
    local transformer = rest.transformers.yaml { documents = options.documents }
    scope.configure(service, options, "yaml", function(c)
      c.pipeline.decoding:add(transformer, { content_types = options.content_types or types })
    end)
  end,
}
