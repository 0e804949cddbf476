-- Makes a script of a collection of Postman (format 2.0 or 2.1), for `resthost import postman`.
local document = require "resthost.openapi_document"
local recorded = require "resthost.recorded_requests"
local secrets = require "resthost.recorded_secrets"
local urls = require "resthost.recorded_urls"
local writer = require "resthost.script_writer"
local rest = require "resthost"

local import = {}

-- How deep folders nest, and how many bytes the values of variables add to a text.
local deepest, most_added = 30, 1 << 16

-- A text with the values of variables in place of `{{name}}`. Those that are secret or unknown are marked.
local function resolved(collection, text)
  local added = 0
  for round = 1, 6 do
    local count
    text, count = text:gsub("{{([^{}]*)}}", function(name)
      name = name:match "^%s*(.*%S)" or ""
      local value = round < 6 and not secrets.is_name(name) and collection.variables[name]
      if not value or added + #value > most_added then return urls.variable(name) end
      added = added + #value
      return value
    end)
    if count == 0 then break end
  end
  return text
end

-- The fields of a list of `{ key, value, disabled }`, as pairs.
local function pairs_of(collection, list)
  local found = {}
  for _, item in ipairs(document.table(list)) do
    item = document.table(item)
    if type(item.key) == "string" and item.disabled ~= true then
      found[#found + 1] = { resolved(collection, item.key), resolved(collection, tostring(item.value or "")) }
    end
  end
  return found
end

-- The URL as a text, with the values of variables.
local function url_of(collection, url)
  local text = type(url) == "string" and url or document.text(document.table(url).raw)
  if not text then return nil end
  text = resolved(collection, text)
  if not text:find "^\1" and not text:find "^%a+://" then text = "https://" .. text end
  -- Disabled parameters are in the text of the URL, too.
  if type(url) == "table" and type(url.query) == "table" then
    local parts = {}
    for _, pair in ipairs(pairs_of(collection, url.query)) do
      parts[#parts + 1] = rest.url.encode(pair[1]) .. "=" .. rest.url.encode(pair[2])
    end
    text = text:gsub("[?#].*$", "") .. (#parts > 0 and "?" .. table.concat(parts, "&") or "")
  end
  return text
end

-- The attributes of an `auth` of format 2.1, a list, or 2.0, an object.
local function attributes(auth, kind)
  local found = {}
  for key, item in pairs(document.table(auth[kind])) do
    if type(item) == "table" and type(item.key) == "string" then
      found[item.key] = item.value
    elseif type(key) == "string" then
      found[key] = item
    end
  end
  return found
end

-- Adds what an `auth` says to a request. Its values are secrets, which the script never has.
local function add_auth(collection, auth, request)
  local kind = document.table(auth).type
  if kind == "basic" or kind == "digest" then
    request.user, request.is_digest = "user:password", kind == "digest"
  elseif kind == "bearer" or kind == "oauth2" then
    table.insert(request.headers, { "Authorization", "Bearer token" })
  elseif kind == "apikey" then
    local fields = attributes(auth, "apikey")
    local key = resolved(collection, tostring(fields.key or "X-Api-Key"))
    request.key = { name = key, is_query = fields["in"] == "query" }
  elseif kind ~= nil and kind ~= "noauth" then
    collection.warn("the authorization '%s' has no plugin here: add it in a block", tostring(kind))
  end
end

local function add_body(collection, body, request)
  body = document.table(body)
  local mode = body.mode
  if mode == "raw" then
    request.text = resolved(collection, tostring(body.raw or ""))
    local language = document.table(document.table(body.options).raw).language
    request.default_type = language == "json" and "application/json"
      or language == "xml" and "application/xml"
      or request.text:find "^%s*[{%[]" and "application/json" or "text/plain"
  elseif mode == "urlencoded" then
    local parts = {}
    for _, pair in ipairs(pairs_of(collection, body.urlencoded)) do
      parts[#parts + 1] = rest.url.encode(pair[1]) .. "=" .. rest.url.encode(pair[2])
    end
    request.text, request.default_type = table.concat(parts, "&"), "application/x-www-form-urlencoded"
  elseif mode == "formdata" then
    request.parts = {}
    for _, item in ipairs(document.table(body.formdata)) do
      item = document.table(item)
      if type(item.key) == "string" and item.disabled ~= true then
        local source = type(item.src) == "table" and item.src[1] or item.src
        local is_file = item.type == "file"
        table.insert(request.parts, {
          name = resolved(collection, item.key), file = is_file and tostring(source or "file") or nil,
          value = not is_file and resolved(collection, tostring(item.value or "")) or nil,
          content_type = document.text(item.contentType),
        })
      end
    end
  elseif mode == "file" then
    request.file = document.text(document.table(body.file).src) or "file"
  elseif mode == "graphql" then
    local graphql = document.table(body.graphql)
    request.text = rest.json.encode {
      query = tostring(graphql.query or ""), variables = document.text(graphql.variables),
    }
    request.default_type = "application/json"
  elseif mode ~= nil then
    collection.warn("the body of kind '%s' is left out", tostring(mode))
  end
end

local function description_of(node)
  local text = node.description
  if type(text) == "table" then text = text.content end
  return writer.sentence(text, 400)
end

local function add_request(collection, item, folder, auth)
  local source = type(item.request) == "string" and { url = item.request } or document.table(item.request)
  local url = url_of(collection, source.url)
  if not url then
    return collection.warn("the request '%s' has no URL, and is left out", tostring(item.name))
  end
  local request = {
    url = url, has_colons = true,
    method = (document.text(source.method) or "GET"):upper(),
    headers = pairs_of(collection, source.header), summary = writer.sentence(item.name, 120),
    description = description_of(source),
  }
  local name = document.text(item.name) or request.method .. " " .. url
  request.name = collection.used[writer.name(name)] and folder ~= "" and folder .. " " .. name or name
  collection.used[writer.name(name)] = true
  add_auth(collection, source.auth or auth, request)
  add_body(collection, source.body, request)
  recorded.add(collection.api, request)
end

local function add_items(collection, items, folder, auth, depth)
  for _, item in ipairs(document.table(items)) do
    item = document.table(item)
    if item.request ~= nil then
      add_request(collection, item, folder, auth)
    elseif type(item.item) == "table" then
      if depth > deepest then
        return collection.warn "folders inside each other are left out beyond 30 levels"
      end
      add_items(collection, item.item, document.text(item.name) or folder, item.auth or auth, depth + 1)
    end
  end
end

--- Makes the files of a decoded collection.
function import.run(input, options)
  input = document.table(input.collection or input)
  if type(input.item) ~= "table" then
    return nil, "the file has no list 'item': it is no collection of Postman in format 2.0 or 2.1"
  end
  local title = writer.sentence(document.table(input.info).name, 80) or "A collection"
  local api = recorded.new(options, {}, title)
  local collection = {
    api = api, variables = {}, used = {},
    warn = function(...) api.doc:warn(...) end,
  }
  for _, variable in ipairs(document.table(input.variable)) do
    variable = document.table(variable)
    local key, value = variable.key or variable.id, variable.value
    if type(key) == "string" and value ~= nil and value ~= "" then
      collection.variables[key] = tostring(value)
    end
  end
  add_items(collection, input.item, "", input.auth, 0)
  return recorded.finish(api, options, false)
end

return import
