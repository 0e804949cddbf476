-- Decodes XML bodies.
local body_format = require "resthost.body_format"

local types = { "*/xml", "*/*+xml" }

return body_format("xml", "Decodes XML bodies: their content is the outermost element, a table.", types, {
  { name = "mixed", type = "boolean", description = "Keeps each piece of text as a string among the children." },
  {
    name = "max_nodes", type = "integer",
    description = "Elements and attributes of a document; default: 1,000,000.",
  },
})
