-- Objects in a bucket of S3, or of a server that speaks like it.
--
--   local s3 = require "resthost.s3"
--   local photos = rest.service { base_url = "https://photos.s3.eu-central-1.amazonaws.com" }
--   local bucket = s3.open(photos, { region = "eu-central-1" })
--   rest.spawn(function()
--     local entity, err = bucket:put("lake.jpg", { file = "lake.jpg" }, { content_type = "image/jpeg" })
--   end)
local rest = require "resthost"
local plugin = require "resthost.plugin"
local aws_credentials = require "resthost.aws_credentials"
local aws_signature = require "resthost.aws_signature"
local aws_sigv4 = require "resthost.aws_sigv4"

local MOST_PAGES = 10000

local region = {
  name = "region", type = "string", required = true,
  description = "The region of the bucket; for other servers often `us-east-1`.",
}

-- The tree of an XML document, or nil and a message.
local function decoded(content)
  if type(content) == "table" then return content end -- by a transformer of the script
  return rest.xml.decode(content)
end

local function text(element, name)
  local found = rest.xml.find(element, name)
  return found and found.text
end

-- The error with the code and the message of S3, if its body has them.
local function explained(err)
  local content = err and err.entity and err.entity.content
  if type(content) ~= "string" or not content:find("<Error>", 1, true) then return err end
  local document = decoded(content)
  local code = document and text(document, "Code")
  if not code then return err end
  local message = text(document, "Message") or ""
  return rest.error {
    user_message = ("%s (%s)"):format(message, code), http_status_code = err.http_status_code,
    entity = err.entity, cause = { type = "s3", code = code, message = tostring(err) },
  }
end

local Bucket = {}
Bucket.__index = Bucket

local function url_of(bucket, key)
  if type(key) ~= "string" or key == "" then
    plugin.blame "the key of an object is a text that is not empty"
  end
  return bucket.service.base_url .. key:gsub("[^/]+", rest.url.encode)
end

local function ask(bucket, method, key, options)
  local entity, err = bucket.service:resource_at(url_of(bucket, key)):request(method, options):await()
  if not entity then return nil, explained(err) end
  return entity
end

--- The entity of an object. `to_file` writes the body to a file; `headers` may have a Range.
function Bucket:get(key, options) return ask(self, "GET", key, options) end

--- The headers of an object, in an entity.
function Bucket:head(key, options) return ask(self, "HEAD", key, options) end

--- Deletes an object. It is no error if there is none.
function Bucket:delete(key, options) return ask(self, "DELETE", key, options) end

--- Makes or replaces an object. The body is a text, or `{ file = path }` for a file that is read while it is
--- sent. Without https a file is also read before, for its digest.
function Bucket:put(key, body, options)
  local request, headers, bytes = {}, {}, body
  for name, value in pairs(options or {}) do request[name] = value end
  for name, value in pairs(request.headers or {}) do headers[name] = value end
  request.headers = headers
  local is_secure = self.service.base_url:find "^https:"
  if type(body) == "string" then
    request.body = body
  elseif type(body) == "table" and type(body.file) == "string" then
    request.file = body.file
    if not is_secure then
      local problem
      bytes, problem = rest.read_file(body.file)
      if not bytes then return nil, rest.error { user_message = problem } end
    end
  else
    plugin.blame "the body of an object is a text or { file = path }"
  end
  -- Here is more time for it than in a mutator.
  if not is_secure then headers["X-Amz-Content-Sha256"] = aws_signature.sha256(bytes) end
  return ask(self, "PUT", key, request)
end

-- A page of a list: its objects, its prefixes, and the token of the page behind it.
local function page(bucket, options, token)
  local query = {
    ["list-type"] = 2, ["encoding-type"] = "url", prefix = options.prefix, delimiter = options.delimiter,
    ["start-after"] = not token and options.start_after or nil, ["max-keys"] = options.page_size,
    ["continuation-token"] = token,
  }
  local resource = bucket.service:resource_at(bucket.service.base_url)
  local entity, err = resource:request("GET", { query = query }):await()
  if not entity then return nil, explained(err) end
  local list, problem = decoded(entity.content)
  if not list or list.name ~= "ListBucketResult" then
    return nil, rest.error {
      user_message = ("The answer of %s is no list of objects: %s"):format(
        entity.url, problem or "it is another document"),
      entity = entity,
    }
  end
  local is_encoded = text(list, "EncodingType") == "url"
  local function name(element, field)
    local found = text(element, field) or ""
    return is_encoded and rest.url.decode((found:gsub("%+", " "))) or found
  end
  local objects, prefixes = {}, {}
  for _, element in ipairs(list.children) do
    if element.name == "Contents" then
      objects[#objects + 1] = {
        key = name(element, "Key"), size = math.tointeger(tonumber(text(element, "Size"))),
        etag = text(element, "ETag"), last_modified = text(element, "LastModified"),
      }
    elseif element.name == "CommonPrefixes" then
      prefixes[#prefixes + 1] = name(element, "Prefix")
    end
  end
  local has_more = text(list, "IsTruncated") == "true"
  return objects, prefixes, has_more and (text(list, "NextContinuationToken") or token or "") or nil
end

local list_options = {
  { name = "prefix", type = "string", description = "The beginning of the keys." },
  { name = "delimiter", type = "string", description = "A text that cuts keys, which gives `prefixes`." },
  { name = "start_after", type = "string", description = "The key behind which the list begins." },
  { name = "page_size", type = "integer", least = 1, most = 1000, description = "The objects of a request." },
  { name = "max_items", type = "integer", default = 10000, least = 1, description = "The most objects." },
}

--- A table with the lists `objects` and `prefixes`, and `has_more` when `max_items` has cut it; or nil, an
--- error, and a table with those that came before it.
function Bucket:list(options)
  options = plugin.check(options, list_options, "bucket:list")
  local all, token = { objects = rest.json.array {}, prefixes = rest.json.array {}, has_more = false }, nil
  for _ = 1, MOST_PAGES do
    local objects, prefixes, following = page(self, options, token)
    if not objects then return nil, prefixes, all end
    for _, prefix in ipairs(prefixes) do all.prefixes[#all.prefixes + 1] = prefix end
    for _, object in ipairs(objects) do
      all.has_more = #all.objects == options.max_items
      if all.has_more then return all end
      all.objects[#all.objects + 1] = object
    end
    if not following then return all end
    if following == token or following == "" then
      return nil, rest.error { user_message = "The list of objects has a page that leads to itself." }, all
    end
    token = following
  end
  return nil, rest.error { user_message = ("The list has more than %d pages."):format(MOST_PAGES) }, all
end

--- A URL that permits one kind of request for an object until it expires; see `aws_sigv4.presign`.
function Bucket:presign(key, options)
  local all = { service = "s3" }
  for name, value in pairs(self.options) do all[name] = value end
  for name, value in pairs(options or {}) do all[name] = value end
  return aws_sigv4.presign(url_of(self, key), all)
end

local function open(service, options)
  if not service.base_url then
    plugin.blame "the service of 's3.open' needs the URL of a bucket as 'base_url'"
  end
  local signed = { service = "s3" }
  for name, value in pairs(options) do signed[name] = value end
  aws_sigv4.use(service, signed)
  return setmetatable({ service = service, options = options }, Bucket)
end

return plugin {
  name = "s3",
  description = "Objects in a bucket of S3, or of a server that speaks like it.",
  functions = {
    {
      name = "open",
      signature = "(service: service, options: { ... }) -> table",
      description = "A bucket, whose URL is the service's `base_url`. The service's requests are then \z
        signed, also those for clients of a gateway that exposes the service. A bucket has the methods \z
        `get`, `head`, `put`, `delete` and `list`, which wait, and `presign`.",
      options_at = 2,
      options = table.move(aws_credentials.options, 1, #aws_credentials.options, 2, { region }),
      call = open,
    },
  },
}
