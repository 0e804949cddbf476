-- Decodes CSV bodies of responses, in the stage before the standard transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

local types = { "text/csv", "text/tab-separated-values" }

return plugin {
  name = "csv",
  description = "Decodes CSV bodies: their content is a list of rows.",
  options = scope.options {
    {
      name = "header", type = "boolean | string[]",
      description = "Whether the first row has the names of the columns; or the names. Default: true.",
    },
    {
      name = "separator", type = "string",
      description = "The character between fields; default: a comma.",
    },
    { name = "ragged", type = "boolean", description = "Allows rows with fewer or more fields." },
    {
      name = "types", type = "table",
      description = "Types of columns by name, such as `{ price = \"number\" }`.",
    },
    { name = "content_types", type = "string[]", description = "The content types that it is for." },
  },
  use = function(service, options)
    local transformer = rest.transformers.csv {
      header = options.header, separator = options.separator, ragged = options.ragged, types = options.types,
    }
    scope.configure(service, options, "csv", function(c)
      c.pipeline.decoding:add(transformer, { content_types = options.content_types or types })
    end)
  end,
}
