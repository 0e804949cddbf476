-- Makes a script of an OpenAPI document, for `resthost import openapi`.
local document = require "resthost.openapi_document"
local helpers = require "resthost.openapi_helpers"
local operations = require "resthost.openapi_operations"
local script = require "resthost.openapi_script"
local security = require "resthost.openapi_security"
local servers = require "resthost.openapi_servers"
local stubs = require "resthost.openapi_stubs"
local tests = require "resthost.openapi_tests"
local writer = require "resthost.script_writer"

local import = {}

-- The document as the modules that write files see it.
local function read(input, options)
  local base = options.output:match "([^/]*)$"
  local doc = document.open(input)
  local info = document.table(doc.root.info)
  local found = operations.of(doc)
  local api = {
    doc = doc, base = base, variable = script.name(base), operations = found, has_tests = true,
    title = writer.sentence(info.title, 80) or "An API",
    version = writer.sentence(tostring(info.version or "1"), 40) or "1",
  }
  local taken = helpers.reserved_names()
  local import_options = { service = options.service or api.variable, base_url = options.base_url }
  api.services, api.server_options = servers.of(doc, found, import_options, taken)
  api.security = security.of(doc, found, api.services[1].url, taken)
  return api
end

local function result_of(api, options)
  local others = {
    { suffix = "_types.lua", text = stubs.of(api, script.credentials(api)) },
    { suffix = "_generated_test.lua", text = tests.of(api) },
  }
  if options.swift then
    others[3] = { suffix = ".generated.swift", text = require("resthost.openapi_swift").of(api) }
  end
  return script.result(api, options.output, others)
end

--- Makes the files of a decoded document. Gives nil and a message if the document can't be used.
function import.run(input, options)
  local is_made, made = pcall(function()
    local api = read(input, options)
    for _, operation in ipairs(api.operations) do
      if operation.method == "TRACE" or operation.method == "QUERY" then
        local message = "gateways don't forward %s: '%s' is for the script alone"
        api.doc:warn(message, operation.method, operation.name)
      end
    end
    return result_of(api, options)
  end)
  if is_made then return made end
  if type(made) == "table" and made.import then return nil, made.import end
  error(made, 0)
end

return import
