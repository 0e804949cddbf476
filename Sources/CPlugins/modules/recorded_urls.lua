-- URLs of recorded requests: their servers, paths and queries.
local rest = require "resthost"
local writer = require "resthost.script_writer"

local urls = {}

-- Longer URLs are left out.
local most_bytes = 1 << 16

-- Where an API is thought to be whose URL is a variable.
local local_url = "http://localhost:8080"

-- Variables of a shell or a collection stand between two bytes that no text of theirs has.
local variable = "\1([^\1\2]*)\2"

--- The text for a variable, in a URL, a header or a body.
function urls.variable(name) return "\1" .. name .. "\2" end

--- The pattern of such a text.
urls.variable_pattern = variable

-- A path without segments `.` and `..`, as clients send it (RFC 3986 5.2.4).
local function without_dots(path)
  if not path:find "%." then return path end
  local segments = {}
  for segment in (path .. "/"):gmatch "([^/]*)/" do
    local plain = segment:gsub("%%2[eE]", ".")
    if plain == ".." then
      if #segments > 1 then table.remove(segments) end
    elseif plain ~= "." then
      segments[#segments + 1] = segment
    end
  end
  return table.concat(segments, "/")
end

--- Whether a text is a method.
function urls.is_method(text) return text:find "^%a[%w-]*$" ~= nil and #text <= 40 end

-- The URL with the server of the options where a variable stands for one.
local function with_server(api, url)
  local after = url:match "^\1[^\2]*\2(.*)$" or url:match "^%a+://[^/?#]*\1[^\2]*\2[^/?#]*(.*)$"
  if not after then return url end
  local shown = url:gsub(variable, "{%1}"):sub(1, 80)
  api.doc:warn("the server of '%s' is a variable: set the URL with --base-url", shown)
  return (api.options.base_url or local_url):gsub("/$", "") .. after
end

-- The number of the service for an origin, which is added when it is new.
local function service_of(api, origin)
  if not api.by_origin[origin] then
    local name = api.options.service or api.variable
    if #api.services > 0 then name = name .. "_" .. writer.name(origin:match "://([^:/]*)") end
    table.insert(api.services, {
      name = writer.unique(name, api.service_names), url = origin, expression = writer.quote(origin),
    })
    api.by_origin[origin] = #api.services
  end
  return api.by_origin[origin]
end

--- The parts of a URL: the number of its service, the path without a slash in front, the query and the user;
--- nil and the reason if no service can have it.
function urls.place(api, url)
  if #url > most_bytes then return nil, ("its URL is longer than %d bytes"):format(most_bytes) end
  local scheme, authority, rest_of_url = with_server(api, url):match "^(%a+)://([^/?#]*)(.*)$"
  if not scheme or not scheme:lower():find "^https?$" then
    return nil, "its URL doesn't begin with http:// or https://"
  end
  local user, host = authority:match "^(.*)@(.*)$"
  local path, query = rest_of_url:gsub("#.*$", ""):match "^([^?]*)%??(.*)$"
  path = without_dots(path)
  host = (host or authority):lower()
  local origin = ("%s://%s"):format(scheme:lower(), host)
  local parsed = host:find "^[%w._~:%[%]-]+$" and rest.url.parse(origin .. "/")
  if not parsed or not tostring(parsed.host):find "^[%w%[]" then return nil, "its URL has no valid host" end
  local given = api.options.base_url
  if given then
    given = given:gsub("/$", "")
    local whole = origin .. path
    if whole:sub(1, #given) == given and whole:find("^/", #given + 1) then
      origin, path = given, whole:sub(#given + 1)
    end
  end
  return service_of(api, origin), path:gsub("^/", ""), query, user
end

--- The pairs of a query or a form, decoded.
function urls.pairs_of(text)
  local list = {}
  for part in text:gmatch "[^&]+" do
    local name, equals, value = part:match "^([^=]*)(=?)(.*)$"
    local function decoded(escaped) return rest.url.decode((escaped:gsub("%+", "%%20"))) end
    list[#list + 1] = { decoded(name), equals == "" and rest.null or decoded(value) }
  end
  return list
end

--- The template of a path, with names for variables, and for `:id` if the format has these.
--- A path that can't be text has components in place of a template. The last result is the names.
function urls.path(path, has_colons)
  local parameters, taken, is_variable = {}, {}, false
  local function name_of(text)
    local argument = writer.unique(writer.name(text, "value"), taken)
    parameters[#parameters + 1], is_variable = { argument = argument }, true
    return "\1" .. argument .. "\2"
  end
  local template = path:gsub("[^/]+", function(segment)
    local name = has_colons and segment:match "^:([%w_.-]+)$"
    if name then return name_of(name) end
    return (segment:gsub(variable, name_of))
  end)
  if is_variable then
    template = rest.url.decode(template):gsub("[{}]", "_"):gsub("\1", "{"):gsub("\2", "}")
    return template, nil, parameters
  end
  if not path:find "%%2[fF]" and not path:find "[{}]" and not path:find "%%7[bBdD]" then
    return rest.url.decode(path), nil, parameters
  end
  local components = {}
  for segment in path:gmatch "[^/]+" do
    -- All but what may stand in a segment is escaped (RFC 3986 3.3).
    segment = segment:gsub("[^%w%-._~!$&'()*+,;=:@%%]", function(byte)
      return ("%%%02X"):format(byte:byte())
    end)
    segment = segment:gsub("%%(..?)", function(digits)
      return (digits:find "^%x%x$" and "%" or "%25") .. digits
    end):gsub("%%$", "%%25")
    components[#components + 1] = writer.expression("rest.raw " .. writer.quote(segment))
  end
  return "", components, parameters
end

return urls
