-- Decodes XML bodies of responses, in the stage before the standard transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

local types = { "*/xml", "*/*+xml" }

return plugin {
  name = "xml",
  description = "Decodes XML bodies: their content is the outermost element, a table.",
  options = scope.options {
    {
      name = "mixed", type = "boolean",
      description = "Keeps each piece of text as a string among the children.",
    },
    {
      name = "max_nodes", type = "integer",
      description = "Elements and attributes of a document; default: 1,000,000.",
    },
    { name = "content_types", type = "string[]", description = "The content types that it is for." },
  },
  use = function(service, options)
    local transformer = rest.transformers.xml {
      mixed = options.mixed, max_nodes = options.max_nodes,
    }
    scope.configure(service, options, "xml", function(c)
      c.pipeline.decoding:add(transformer, { content_types = options.content_types or types })
    end)
  end,
}
