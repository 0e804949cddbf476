-- Decodes YAML bodies.
local body_format = require "resthost.body_format"

local types = { "application/yaml", "*/*+yaml", "text/yaml", "application/x-yaml", "text/x-yaml" }

return body_format("yaml", "Decodes YAML bodies: their content is the value.", types, {
  { name = "documents", type = "boolean", description = "Gives a list of all documents." },
})
