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

-- The reason why options can't be used; nil if they can.
local function fault_of(options)
  local name, url = options.output:match "([^/]*)$", options.base_url
  if not name:find "^[%w_-]+$" then
    return ("'%s' is no name for a script: use letters, digits, '_' and '-'"):format(name)
  end
  if url and not (url:lower():find "^https?://[^/]" and rest.url.parse(url)) then
    return ("the base URL '%s' is no URL: it looks like https://api.example.com/v1"):format(url)
  end
end

local importer = {}

--- The files of a script: `{ files = { { path =, text =, once = }… }, warnings =, summary =, variables = }`, or
--- nil and the reason.
function importer.run(kind, text, options)
  local input, message = text, fault_of(options)
  if message then return nil, message end
  if kinds[kind].decodes then
    input, message = decode(text)
    if input == nil then return nil, message end
    if input == rest.null then return nil, "the document is empty" end
    if type(input) ~= "table" then return nil, "the document is no object, but a " .. type(input) end
  end
  return require(kinds[kind].module).run(input, options)
end

return importer
