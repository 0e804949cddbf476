-- Decodes MessagePack bodies.
local body_format = require "resthost.body_format"

local types = { "application/msgpack", "application/vnd.msgpack", "application/x-msgpack", "*/*+msgpack" }

return body_format("msgpack", "Decodes MessagePack bodies: their content is the value.", types, {
  { name = "sequence", type = "boolean", description = "Gives a list of all values that follow each other." },
})
