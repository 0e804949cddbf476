-- Makes a script of a recording (HAR), for `resthost import har`: requests by server, with names for the
-- parts of paths that vary, and without the credentials that were recorded.
local document = require "resthost.openapi_document"
local recorded = require "resthost.recorded_requests"
local secrets = require "resthost.recorded_secrets"
local urls = require "resthost.recorded_urls"
local rest = require "resthost"
local writer = require "resthost.script_writer"

local import = {}

local most_entries = 100000

-- Headers that a browser or the host sends by itself, or that are about one moment.
local ignored = {}
for name in ([[accept accept-encoding accept-language cache-control connection content-length content-type
dnt host origin pragma priority range referer te upgrade-insecure-requests user-agent x-request-id traceparent
tracestate if-none-match if-modified-since x-requested-with]]):gmatch "%S+" do
  ignored[name] = true
end

-- Whether a segment of a path is an identifier, not a word.
local function is_identifier(segment)
  if segment:find "^%d+$" then return true end
  if segment:find "^%x+%-%x+%-%x+%-%x+%-%x+$" and #segment == 36 then return true end
  if #segment >= 16 and segment:find "^%x+$" and segment:find "%d" then return true end
  return #segment >= 20 and segment:find "^[%w_-]+$" and segment:find "%d" and segment:find "%a"
    and not segment:find "[%-_]%a+[%-_]%a+[%-_]"
end

-- The name of an identifier behind a word: `user_id` behind `users`.
local function name_behind(word, taken)
  local name = word and writer.name(word, "item") or "item"
  name = name:gsub("ies$", "y"):gsub("([^s])s$", "%1")
  return writer.unique(name .. "_id", taken)
end

-- The path with names in braces, and its parameters.
local function template_of(path, taken)
  local segments, parameters, word = {}, {}, nil
  for segment in path:gmatch "[^/]+" do
    if is_identifier(segment) then
      local name = name_behind(word, taken)
      parameters[#parameters + 1] = {
        name = name, argument = name, where = "path", style = "simple",
        schema = { type = segment:find "^%d+$" and #segment < 19 and "integer" or "string" },
      }
      segments[#segments + 1] = "{" .. name .. "}"
    else
      segments[#segments + 1] = rest.url.decode(segment):gsub("[{}]", "_")
      word = segment:find "^%a" and segment or word
    end
  end
  return table.concat(segments, "/") .. (path:find "/$" and #segments > 0 and "/" or ""), parameters
end

local function mime_of(response)
  return (document.text(document.table(document.table(response).content).mimeType) or ""):lower()
end

-- Whether an entry is a call of an API, not a part of a page.
local function is_call(entry)
  local kind = entry._resourceType
  if kind == "xhr" or kind == "fetch" then return true end
  local method = document.text(document.table(entry.request).method)
  if method == "OPTIONS" then return false end
  if method ~= "GET" then return true end
  if kind ~= nil then return kind == "other" and mime_of(entry.response):find "json" ~= nil end
  local mime = mime_of(entry.response)
  return mime == "" or not mime:find "^image/" and not mime:find "^font/" and not mime:find "css"
    and not mime:find "javascript" and not mime:find "html" and not mime:find "^video/"
      and not mime:find "^audio/"
end

local kinds = {
  { "json", "json" }, { "x%-www%-form%-urlencoded", "form" }, { "multipart/form%-data", "multipart" },
  { "^text/", "text" },
}

local function body_of(request)
  local data = document.table(request.postData)
  local content_type = document.text(data.mimeType)
  if not content_type then return nil end
  content_type = content_type:match "^[^;]*"
  for _, kind in ipairs(kinds) do
    if content_type:lower():find(kind[1]) then
      return {
        kind = kind[2], content_type = content_type, schema = {}, required = true, is_container = true,
      }
    end
  end
  return { kind = "bytes", content_type = content_type, schema = {}, required = true }
end

-- Adds the parameters and headers of a request to its operation.
local function add_parameters(api, operation, request, query)
  local function add(name, where)
    local identity = where .. " " .. name:lower()
    if operation.known[identity] then return end
    operation.known[identity] = true
    table.insert(operation.params, {
      name = name, key = operation.known["key " .. name] and name .. "_" .. where or name, where = where,
      schema = { type = "string" }, style = where == "query" and "form" or "simple",
      explode = where == "query",
    })
    operation.known["key " .. name] = true
  end
  for _, pair in ipairs(urls.pairs_of(query)) do
    if not secrets.parameter(api, operation.service, pair[1], pair[2]) then add(pair[1], "query") end
  end
  for _, header in ipairs(document.table(request.headers)) do
    local name, value = document.table(header).name, document.table(header).value
    if type(name) == "string" and type(value) == "string" and not name:find "^:" then
      local lower = name:lower()
      local is_own = writer.is_header_name(name) and not ignored[lower] and not lower:find "^sec%-"
      if is_own and not secrets.header(api, operation.service, name, value) then
        add(name, "header")
      end
    end
  end
end

local function add_entry(api, by_identity, request)
  local service, path, query, user = urls.place(api, request.url)
  if not service or not urls.is_method(request.method) then
    return api.doc:warn("the request '%s %s' is left out: %s", request.method:sub(1, 20),
      request.url:sub(1, 100), service and "its method is no valid one" or path)
  end
  if user then secrets.user(api, service) end
  local method = request.method:upper()
  local template, parameters = template_of(path, { body = true, params = true })
  local identity = ("%d %s %s"):format(service, method, template:gsub("{[^}]*}", "{}"))
  local operation = by_identity[identity]
  if not operation then
    local may_have_body = method ~= "GET" and method ~= "HEAD"
    local words = template:gsub("{([^}]*)}", "by_%1")
    operation = {
      name = writer.unique(writer.name(method .. "_" .. words, method:lower()), api.names), method = method,
      path = "/" .. template, template = template, service = service, path_params = parameters, params = {},
      query = {}, result = {}, known = {}, body = may_have_body and body_of(request) or nil,
    }
    by_identity[identity] = operation
    table.insert(api.operations, operation)
  end
  add_parameters(api, operation, request, query)
end

--- Makes the files of a decoded recording.
function import.run(input, options)
  local entries = document.table(document.table(document.table(input).log).entries)
  if #entries == 0 then return nil, "the file has no requests in 'log.entries': it is no recording (HAR)" end
  if #entries > most_entries then
    return nil, ("the recording has more than %d entries"):format(most_entries)
  end
  local api = recorded.new(options, {}, "Requests of a recording")
  local by_identity, left_out = {}, 0
  for _, entry in ipairs(entries) do
    local request = document.table(document.table(entry).request)
    if type(request.url) ~= "string" or type(request.method) ~= "string" or not is_call(entry) then
      left_out = left_out + 1
    else
      add_entry(api, by_identity, request)
    end
  end
  if left_out > 0 then api.doc:warn("entries that are parts of pages are left out: %d", left_out) end
  return recorded.finish(api, options, true)
end

return import
