-- Decodes MessagePack bodies of responses, in the stage before the standard transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

local types = { "application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "*/*+msgpack" }

return plugin {
  name = "msgpack",
  description = "Decodes MessagePack bodies: their content is the value.",
  options = scope.options {
    {
      name = "sequence", type = "boolean",
      description = "Gives a list of all values that follow each other.",
    },
    { name = "content_types", type = "string[]", description = "The content types that it is for." },
  },
  use = function(service, options)
    local transformer = rest.transformers.msgpack { sequence = options.sequence }
    scope.configure(service, options, "msgpack", function(c)
      c.pipeline.decoding:add(transformer, { content_types = options.content_types or types })
    end)
  end,
}
