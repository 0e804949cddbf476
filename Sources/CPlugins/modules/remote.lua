-- Requests that a plugin sends itself, such as logins, and what their answers say.
local rest = require "resthost"
local plugin = require "resthost.plugin"

local remote = {}

--- The origin of a URL, such as `https://example.com:8443`, in one spelling: in lower case, without the port
--- of its scheme. Nil if it is no absolute URL.
function remote.origin(url)
  local parts = rest.url.parse(url)
  if not parts or not parts.host or parts.host == "" then return nil end
  return ("%s://%s%s"):format(parts.scheme, parts.host, parts.port and ":" .. parts.port or "")
end

local function is_loopback(host) return host == "localhost" or host == "127.0.0.1" or host == "[::1]" end

--- Whether a URL is safe for credentials and keys: https, or http on this machine.
function remote.is_safe(url)
  local parts = rest.url.parse(url)
  if not parts or not parts.host then return false end
  return parts.scheme == "https" or parts.scheme == "http" and is_loopback(parts.host)
end

--- Raises an error for the user's script unless a URL is one of http or https, without a password.
function remote.check(url, option)
  local parts = rest.url.parse(url)
  if not parts or not parts.host or parts.scheme ~= "https" and parts.scheme ~= "http" then
    plugin.blame(("option '%s' has to be an https URL, not '%s'"):format(option, url))
  end
  if url:find "^%w+://[^/?#]*@" then
    plugin.blame(("option '%s' can't have a user and a password in its URL"):format(option))
  end
end

local taken = {}

--- A service for the origin of a URL, whose bodies stay bytes. `name` says what it is for.
function remote.service(name, url, transport)
  taken[name] = (taken[name] or 0) + 1
  if taken[name] > 1 then name = ("%s %d"):format(name, taken[name]) end
  local service = rest.service {
    name = name, base_url = remote.origin(url), standard_transformers = {}, transport = transport, internal = true,
  }
  return service:configure("**", { description = "remote" }, function(c)
    c.max_body_bytes, c.expiration_time = 1024 * 1024, 0
    c.timeouts.total = 30
    -- Neither a password in a body nor a document that is trusted comes from another place.
    c.redirects.follow = false
  end)
end

-- The JSON object in a body; nil if it is none.
local function object(body)
  local value = type(body) == "string" and body:find "^%s*{" and rest.json.decode(body)
  return type(value) == "table" and value or nil
end

--- Waits for the answer to a request. Gives its JSON object and its headers, or nil, a message that names the
--- URL, and a table with `status`, `headers` and the `json` of a refusal.
function remote.answer(request, method, url)
  local entity, err = request:await()
  local place = ("%s %s"):format(method, url)
  if entity then
    local json, target = object(entity.content), entity.headers.Location
    if json then return json, entity.headers end
    if target and entity.status and entity.status >= 300 then
      local text = "%s answered %d, a redirect to %s, which is not followed"
      return nil, text:format(place, entity.status, target:sub(1, 500)), { status = entity.status }
    end
    local kind = entity.content_type ~= "" and entity.content_type or "a body without a type"
    local text = ("%s answered with %s, not with a JSON object"):format(place, kind)
    return nil, text, { status = entity.status }
  end
  if not err.http_status_code then return nil, tostring(err), {} end
  local refusal = { status = err.http_status_code, headers = err.entity and err.entity.headers }
  refusal.json = err.entity and object(err.entity.content)
  local kind = err.entity and err.entity.content_type or ""
  local text = ("%s answered %d"):format(place, refusal.status)
  if refusal.json then return nil, remote.with_reason(text, refusal.json), refusal end
  return nil, kind ~= "" and ("%s with %s, not with JSON"):format(text, kind) or text, refusal
end

--- Whether a failure would come again, because of what the request is. `types` has further types of causes.
function remote.is_final(err, types)
  local status, kind = err.http_status_code, type(err.cause) == "table" and err.cause.type
  if status then return status >= 400 and status < 500 and status ~= 408 and status ~= 429 end
  return kind == "script_error" or types[kind] or false
end

--- The seconds until the next try, after so many failures: they double up to half a minute.
function remote.pause(failures) return math.min(2 ^ math.min(failures, 10) / 2, 30) end

-- A word or a sentence of a server, on one line.
local function line(text, most) return (text:sub(1, most):gsub("%c", " ")) end

--- A text with the error that an answer has (RFC 6749 5.2), or with its `message`.
function remote.with_reason(text, answer)
  local reason = answer.error_description or answer.message
  if type(answer.error) == "string" then text = ("%s: %s"):format(text, line(answer.error, 200)) end
  if type(reason) == "string" then text = ("%s (%s)"):format(text, line(reason, 500)) end
  return text
end

return remote
