-- Decodes CBOR bodies of responses, in the stage before the standard transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

local types = { "application/cbor", "*/*+cbor" }

return plugin {
  name = "cbor",
  description = "Decodes CBOR bodies: their content is the value.",
  options = scope.options {
    {
      name = "sequence", type = "boolean",
      description = "Gives a list of all values that follow each other.",
    },
    { name = "content_types", type = "string[]", description = "The content types that it is for." },
  },
  use = function(service, options)
    local transformer = rest.transformers.cbor { sequence = options.sequence }
    scope.configure(service, options, "cbor", function(c)
      c.pipeline.decoding:add(transformer, { content_types = options.content_types or types })
    end)
  end,
}
