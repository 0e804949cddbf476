-- Decodes CBOR bodies (RFC 8949).
local body_format = require "resthost.body_format"

local types = { "application/cbor", "*/*+cbor" }

return body_format("cbor", "Decodes CBOR bodies: their content is the value.", types, {
  { name = "sequence", type = "boolean", description = "Gives a list of all values that follow each other." },
})
