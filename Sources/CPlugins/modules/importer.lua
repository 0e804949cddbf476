-- Makes scripts of descriptions of an API, for `resthost import`.
local rest = require "resthost"

local kinds = {
  curl = { module = "resthost.import_curl" },
  har = { module = "resthost.import_har", decodes = true },
  openapi = { module = "resthost.import_openapi", decodes = true },
  postman = { module = "resthost.import_postman", decodes = true },
}

-- The value of a document in JSON or YAML, by its first character: both read a JSON object.
local function decode(text)
  if text:find "^%s*[%[{]" or text:find "^\xEF\xBB\xBF%s*[%[{]" then
    local value, message = rest.json.decode((text:gsub("^\xEF\xBB\xBF", "")))
    if value == nil then return nil, "it is no JSON: " .. message end
    return value
  end
  local value, message = rest.yaml.decode(text)
  if value == nil then return nil, "it is no YAML: " .. message end
  return value
end

local importer = {}

--- The files of a script: `{ files = { { path =, text =, once = }… }, warnings = { … }, summary = }`, or nil and
--- the reason.
function importer.run(kind, text, options)
  local input, message = text, nil
  if kinds[kind].decodes then
    input, message = decode(text)
    if input == nil then return nil, message end
    if type(input) ~= "table" then return nil, "the document is no object, but a " .. type(input) end
  end
  return require(kinds[kind].module).run(input, options)
end

return importer
