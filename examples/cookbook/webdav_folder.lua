-- A folder of a WebDAV server (RFC 4918): a list of its files in JSON, and uploads that replace no file which
-- somebody else has changed.
--
--   WEBDAV_USER=ada WEBDAV_PASSWORD=… resthost run webdav_folder.lua
--   curl http://127.0.0.1:8080/files
--   curl -T plan.txt -H 'If-Match: "the etag of the list"' http://127.0.0.1:8080/files/plan.txt
local rest = require "resthost"

local server = rest.service {
  name = "webdav", base_url = rest.env.WEBDAV_URL or "http://127.0.0.1:8081/dav/",
  standard_transformers = { "xml", "text" },
}
local user, password = rest.env.WEBDAV_USER or "ada", rest.env.WEBDAV_PASSWORD or "for trying out"
server:use("basic", { username = user, password = password })
local most_files = 10000

local dav = { namespaces = { d = "DAV:" } }
local function element(name, ...) return { name = name, namespace = "DAV:", children = { ... } } end

local question = rest.xml.encode(element("propfind", element("prop",
  element "getcontentlength", element "getetag", element "resourcetype"
)), { declaration = true })

local function text_of(response, name)
  local found = rest.xml.find(response, "//d:" .. name, dav)
  return found and found.text
end

local gateway = rest.gateway { expose = {}, limits = { body = "20MiB" } }

gateway:route("GET", "/files", function()
  local entity, err = server:resource(""):request("PROPFIND", {
    body = question, content_type = "application/xml", headers = { Depth = "1" },
  }):await()
  if not entity then return nil, err end
  local list = rest.json.array {}
  for _, response in ipairs(rest.xml.find_all(entity.content, "d:response", dav)) do
    -- Addresses of folders, such as that of the list itself, end with a slash.
    local name = text_of(response, "href"):match "([^/]+)$"
    if name and not rest.xml.find(response, "//d:collection", dav) and #list < most_files then
      list[#list + 1] = {
        name = rest.url.decode(name), etag = text_of(response, "getetag"),
        bytes = math.tointeger(tonumber(text_of(response, "getcontentlength"))),
      }
    end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end)

gateway:route("PUT", "/files/{name}", function(request)
  local known = request.headers["If-Match"]
  local entity, err = server:resource(""):child(request.params.name):request("PUT", {
    body = request.body, content_type = "application/octet-stream",
    headers = known and { ["If-Match"] = known } or { ["If-None-Match"] = "*" },
  }):await()
  return entity and rest.response { status = known and 204 or 201 } or nil, err
end)
