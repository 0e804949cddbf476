-- Signs requests for AWS: Signature Version 4, in headers and in URLs. Helps the plugins that sign.
local rest = require "resthost"

local aws_signature = {}

aws_signature.UNSIGNED = "UNSIGNED-PAYLOAD"

local ALGORITHM = "AWS4-HMAC-SHA256"

-- Headers that the program, the connection or a proxy may set or change on the way.
local unsigned = {}
for _, name in ipairs {
  "authorization", "accept-encoding", "connection", "content-length", "cookie", "expect", "keep-alive", "te",
  "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent", "via",
  "x-amzn-trace-id", "x-forwarded-for", "x-request-id",
} do
  unsigned[name] = true
end

--- The SHA-256 of bytes in hexadecimal digits.
function aws_signature.sha256(bytes) return rest.hex.encode(rest.crypto.sha256(bytes)) end

--- The parts of an absolute URL: its origin, host, path and query, as they are written.
function aws_signature.split(url)
  local scheme, authority, path, query = url:match "^(%a[%w+.-]*)://([^/?#]*)([^?#]*)%??([^#]*)"
  if not scheme then return nil end
  local host = authority:match "[^@]*$":lower()
  local port = scheme:lower() == "https" and ":443" or ":80"
  if host:sub(-#port) == port then host = host:sub(1, -#port - 1) end
  return { origin = scheme .. "://" .. authority, host = host, path = path, query = query }
end

-- Text in one spelling: each character is escaped that must be.
local function canonical(text) return rest.url.encode(rest.url.decode(text)) end

local function each_segment(path, change)
  local changed = path:gsub("[^/]+", change)
  return changed == "" and "/" or changed
end

--- The path that is sent: for S3 the one that is signed, for others unchanged.
function aws_signature.sent_path(path, service)
  return service == "s3" and each_segment(path, canonical) or path
end

-- The path in the canonical request. S3 takes it as it is sent; others escape it once more, without empty
-- segments.
local function signed_path(path, service)
  if service == "s3" then return each_segment(path, canonical) end
  return each_segment(path:gsub("//+", "/"), rest.url.encode)
end

--- A query in the canonical form, with further parameters: sorted, with `=` and in one spelling.
function aws_signature.canonical_query(query, further)
  local pairs_of = {}
  for piece in query:gmatch "[^&]+" do
    local name, value = piece:match "^([^=]*)=?(.*)$"
    pairs_of[#pairs_of + 1] = { canonical(name), canonical(value) }
  end
  for name, value in pairs(further or {}) do pairs_of[#pairs_of + 1] = { name, rest.url.encode(value) } end
  table.sort(pairs_of, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  for place, pair in ipairs(pairs_of) do pairs_of[place] = pair[1] .. "=" .. pair[2] end
  return table.concat(pairs_of, "&")
end

-- The lines of the headers that are signed, and their names.
local function signed_headers(headers)
  local names, lines = {}, {}
  for name in pairs(headers) do names[#names + 1] = name end
  table.sort(names)
  for place, name in ipairs(names) do
    lines[place] = ("%s:%s\n"):format(name, headers[name]:match "^%s*(.-)%s*$":gsub("%s+", " "))
  end
  return table.concat(lines), table.concat(names, ";")
end

-- The signature of a canonical request.
local function signature(request, settings, credentials, date)
  local scope = ("%s/%s/%s/aws4_request"):format(date:sub(1, 8), settings.region, settings.service)
  local text = table.concat({ ALGORITHM, date, scope, aws_signature.sha256(request) }, "\n")
  local key = "AWS4" .. credentials.secret_access_key
  for part in scope:gmatch "[^/]+" do key = rest.crypto.hmac_sha256(key, part) end
  return rest.hex.encode(rest.crypto.hmac_sha256(key, text))
end

local function credential(settings, credentials, date)
  return ("%s/%s/%s/%s/aws4_request"):format(
    credentials.access_key_id, date:sub(1, 8), settings.region, settings.service)
end

local function canonical_request(method, path, query, headers, names, payload)
  return table.concat({ method, path, query, headers, names, payload }, "\n")
end

local function timestamp(time) return os.date("!%Y%m%dT%H%M%SZ", math.floor(time)) end

--- Signs a draft in its headers, and gives it the path and the query that were signed. `payload` is the
--- SHA-256 of the body.
function aws_signature.sign(draft, settings, credentials, time, payload)
  local parts, date = aws_signature.split(draft.url), timestamp(time)
  local headers = draft.headers
  headers["Authorization"] = nil
  headers["X-Amz-Date"] = date
  headers["X-Amz-Security-Token"] = credentials.session_token
  if settings.service == "s3" then headers["X-Amz-Content-Sha256"] = payload end
  local signed = { host = parts.host }
  for name, value in pairs(headers) do
    name = name:lower()
    -- The boundary of a form is made while it is sent.
    local is_form = name == "content-type" and value:lower():find "^multipart/"
    if not unsigned[name] and not is_form then signed[name] = value end
  end
  -- Of a repeated header one line is sent, so that both sides see the same text.
  for name, value in pairs(signed) do
    if name ~= "host" and value:find(",", 1, true) then headers[name] = value end
  end
  local query = aws_signature.canonical_query(parts.query)
  local lines, names = signed_headers(signed)
  local path = signed_path(parts.path, settings.service)
  local request = canonical_request(draft.method, path, query, lines, names, payload)
  draft.url = parts.origin .. aws_signature.sent_path(parts.path, settings.service)
    .. (query == "" and "" or "?" .. query)
  headers["Authorization"] = ("%s Credential=%s, SignedHeaders=%s, Signature=%s"):format(
    ALGORITHM, credential(settings, credentials, date), names,
    signature(request, settings, credentials, date))
end

--- A URL that permits one request without credentials until it expires.
function aws_signature.presign(url, settings, credentials, time)
  local parts, date = aws_signature.split(url), timestamp(time)
  local signed = { host = parts.host }
  for name, value in pairs(settings.headers or {}) do signed[name:lower()] = value end
  local lines, names = signed_headers(signed)
  local query = aws_signature.canonical_query(parts.query, {
    ["X-Amz-Algorithm"] = ALGORITHM,
    ["X-Amz-Credential"] = credential(settings, credentials, date),
    ["X-Amz-Date"] = date,
    ["X-Amz-Expires"] = tostring(settings.expires),
    ["X-Amz-Security-Token"] = credentials.session_token,
    ["X-Amz-SignedHeaders"] = names,
  })
  local payload = settings.service == "s3" and aws_signature.UNSIGNED or aws_signature.sha256 ""
  local path = signed_path(parts.path, settings.service)
  local request = canonical_request(settings.method, path, query, lines, names, payload)
  return ("%s%s?%s&X-Amz-Signature=%s"):format(
    parts.origin, aws_signature.sent_path(parts.path, settings.service), query,
    signature(request, settings, credentials, date))
end

return aws_signature
