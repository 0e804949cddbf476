-- Decodes CSV bodies (RFC 4180).
local body_format = require "resthost.body_format"

local types = { "text/csv", "text/tab-separated-values" }

return body_format("csv", "Decodes CSV bodies: their content is a list of rows.", types, {
  {
    name = "header", type = "boolean | string[]",
    description = "Whether the first row has the names of the columns; or the names. Default: true.",
  },
  { name = "separator", type = "string", description = "The character between fields; default: a comma." },
  { name = "ragged", type = "boolean", description = "Allows rows with fewer or more fields." },
  {
    name = "types", type = "table",
    description = "Types of columns by name, such as `{ price = \"number\" }`.",
  },
})
