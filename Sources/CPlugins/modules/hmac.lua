-- Signs each request with a shared secret (HMAC), by a template of what is signed.
local rest = require "resthost"
local base64url = require "resthost.base64url"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

-- The text behind `?`, or the empty text.
local function query(url) return url:match "^[^#?]*%?([^#]*)" or "" end

-- The parameters sorted by name, then by value, as they are written in the URL.
local function sorted_query(url)
  local parameters = {}
  for parameter in query(url):gmatch "[^&]+" do parameters[#parameters + 1] = parameter end
  table.sort(parameters, function(a, b)
    local name_a, name_b = a:match "^[^=]*", b:match "^[^=]*"
    if name_a ~= name_b then return name_a < name_b end
    return a < b
  end)
  return table.concat(parameters, "&")
end

local function path(url) return url:match "^%w+://[^/?#]*(/[^?#]*)" or "/" end

-- The body that is sent. One that is read from files while it is sent has no bytes yet.
local function body(draft)
  if draft.body then return draft.body end
  if draft.body_kind == "stream" then
    error("'hmac' can't sign a body that is read from a file: give it as 'body', 'text', 'json' or 'form'", 0)
  end
  return ""
end

local encoders = { hex = rest.hex.encode, base64 = rest.base64.encode, base64url = base64url }

local readers = {
  method = function(draft) return draft.method end,
  url = function(draft) return draft.url end,
  host = function(draft) return draft.url:match "^%w+://([^/?#]*)" end,
  path = function(draft) return path(draft.url) end,
  query = function(draft) return query(draft.url) end,
  sorted_query = function(draft) return sorted_query(draft.url) end,
  body = body,
  timestamp = function(_, facts) return facts.timestamp end,
  nonce = function(_, facts) return facts.nonce end,
  key_id = function(_, facts) return facts.key_id end,
}
for _, hash in ipairs { "md5", "sha1", "sha256", "sha384", "sha512" } do
  readers["body_" .. hash] = function(draft, facts)
    return encoders[facts.digest_encoding](rest.crypto.digest(hash, body(draft)))
  end
end

local function names_of(table_of_names, further)
  local names = { further }
  for name in pairs(table_of_names) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The parts of a template: texts, and functions of a draft and the facts of its signature.
local function parts_of(template, option, known)
  local parts, place = {}, 1
  for start, name, stop in template:gmatch "(){([^{}]*)}()" do
    parts[#parts + 1] = template:sub(place, start - 1)
    local header = name:match "^header:(.+)$"
    if header then
      parts[#parts + 1] = function(draft) return draft.headers[header] or "" end
    elseif known[name] then
      parts[#parts + 1] = known[name]
    else
      local names = names_of(known, "header:Name")
      local near = plugin.nearest(name, names)
      local hint = near and ("did you mean '{%s}'?"):format(near)
        or ("there are {%s}"):format(table.concat(names, "}, {"))
      plugin.blame(("unknown name '{%s}' in option '%s' to 'hmac': %s"):format(name, option, hint))
    end
    place = stop
  end
  parts[#parts + 1] = template:sub(place)
  return parts
end

local function fill(parts, draft, facts)
  local texts = {}
  for place, part in ipairs(parts) do
    texts[place] = type(part) == "function" and part(draft, facts) or part
  end
  return table.concat(texts)
end

local clocks = {
  unix = function(now) return tostring(math.floor(now)) end,
  unix_ms = function(now) return tostring(math.floor(now * 1000)) end,
  iso8601 = function(now) return os.date("!%Y-%m-%dT%H:%M:%SZ", math.floor(now)) end,
  http = function(now) return os.date("!%a, %d %b %Y %H:%M:%S GMT", math.floor(now)) end,
}

local function use(service, options)
  if options.template:find("{key_id}", 1, true) and not options.key_id then
    plugin.blame "the template of 'hmac' has '{key_id}', so option 'key_id' is needed"
  end
  local signed = parts_of(options.template, "template", readers)
  local known = { signature = function(_, facts) return facts.signature end }
  for name, reader in pairs(readers) do known[name] = reader end
  local shown = parts_of(options.format, "format", known)
  local encode = encoders[options.encoding]
  local secret = options.secret
  if options.secret_encoding ~= "text" then
    local decode = options.secret_encoding == "hex" and rest.hex.decode or rest.base64.decode
    secret = decode(secret)
    if not secret then
      plugin.blame(("option 'secret' to 'hmac' is not %s"):format(options.secret_encoding))
    end
  end
  scope.configure(service, options, "hmac", function(c)
    c:mutate_requests(function(draft)
      local facts = {
        timestamp = clocks[options.timestamp_format](rest.now()), nonce = rest.crypto.uuid(),
        key_id = options.key_id or "", digest_encoding = options.digest_encoding,
      }
      if options.timestamp_header then draft.headers[options.timestamp_header] = facts.timestamp end
      if options.nonce_header then draft.headers[options.nonce_header] = facts.nonce end
      if options.digest_header then
        draft.headers[options.digest_header] = readers.body_sha256(draft, facts)
      end
      facts.signature = encode(rest.crypto.hmac(options.algorithm, secret, fill(signed, draft, facts)))
      draft.headers[options.header] = fill(shown, draft, facts)
    end)
  end)
end

return plugin {
  name = "hmac",
  description = "Signs each request with a shared secret (HMAC), by a template of what is signed.",
  options = scope.options {
    { name = "secret", type = "string", required = true, secret = true, description = "The shared secret." },
    {
      name = "secret_encoding", type = [["text" | "hex" | "base64"]], default = "text",
      description = "How the secret is written.",
    },
    { name = "header", type = "string", required = true, description = "The header with the signature." },
    {
      name = "template", type = "string", required = true,
      description = "The text that is signed, with names in braces: `{method}`, `{path}`, `{query}`, "
        .. "`{sorted_query}`, `{host}`, `{url}`, `{timestamp}`, `{nonce}`, `{key_id}`, `{body}`, "
        .. "`{body_sha256}` (also `md5`, `sha1`, `sha384`, `sha512`) and `{header:Name}`. "
        .. [[A line break is `\n`.]],
    },
    {
      name = "algorithm", type = [["sha1" | "sha256" | "sha384" | "sha512"]], default = "sha256",
      description = "The hash of the HMAC.",
    },
    {
      name = "encoding", type = [["hex" | "base64" | "base64url"]], default = "hex",
      description = "How the signature is written.",
    },
    {
      name = "digest_encoding", type = [["hex" | "base64" | "base64url"]], default = "hex",
      description = "How digests of bodies are written.",
    },
    {
      name = "format", type = "string", default = "{signature}",
      description = "The value of the header, such as `sha256={signature}`, with the names of the template.",
    },
    { name = "key_id", type = "string", description = "The name of the key, for `{key_id}`." },
    {
      name = "timestamp_header", type = "string",
      description = "A header that gets the time for `{timestamp}`.",
    },
    {
      name = "timestamp_format", type = [["unix" | "unix_ms" | "iso8601" | "http"]], default = "unix",
      description = "How the time is written.",
    },
    { name = "nonce_header", type = "string", description = "A header that gets the UUID for `{nonce}`." },
    { name = "digest_header", type = "string", description = "A header that gets the SHA-256 of the body." },
  },
  use = use,
}
