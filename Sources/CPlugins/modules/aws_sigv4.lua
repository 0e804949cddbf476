-- Signs requests for AWS, and for servers that speak like it (Signature Version 4).
--
--   api:use("aws_sigv4", { service = "sqs", region = "eu-central-1", profile = "work" })
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"
local aws_credentials = require "resthost.aws_credentials"
local aws_signature = require "resthost.aws_signature"
local dates = require "resthost.dates"

local SKEW = 240      -- seconds between two clocks from which the clock is to blame for a refusal
local LARGE = 8 << 20 -- bytes of a body whose digest takes much of the time of a mutator

local function with_options(further)
  local all = {
    { name = "service", type = "string", required = true, description = "Its name, such as `s3` or `sqs`." },
    { name = "region", type = "string", required = true, description = "The region, such as `us-east-1`." },
  }
  table.move(aws_credentials.options, 1, #aws_credentials.options, #all + 1, all)
  return table.move(further or {}, 1, #(further or {}), #all + 1, all)
end

local function check(options, owner)
  for _, name in ipairs { "service", "region" } do
    if not options[name]:find "^[%w_-]+$" then
      plugin.blame(("bad option '%s' to '%s' ('%s' has other characters than a-z, 0-9 and -)"):format(
        name, owner, options[name]))
    end
  end
end

-- The SHA-256 of a draft's body as it is signed. A body that is read while it is sent is not in the draft.
local function payload_of(draft, service)
  local given = draft.headers["X-Amz-Content-Sha256"]
  if given then return given end
  local body, is_streamed = draft.body, draft.body_kind == "stream"
  local may_be_unsigned = service == "s3" and draft.url:lower():find "^https:"
  if may_be_unsigned and (is_streamed or body and #body > LARGE) then return aws_signature.UNSIGNED end
  if body then return aws_signature.sha256(body) end
  if is_streamed then
    local advice = service == "s3" and "use https, or set" or "send it from memory, or set"
    error(("aws_sigv4 can't sign %s %s: the body is read while it is sent, so its SHA-256 isn't known: \z
      %s the header X-Amz-Content-Sha256"):format(draft.method, draft.url, advice), 0)
  end
  return aws_signature.sha256 ""
end

-- The text of a refusal that may name a code.
local function text_of(err)
  local content = err.entity and err.entity.content
  if type(content) == "table" then content = rest.json.encode(content) end
  local named = err.entity and err.entity.headers["X-Amzn-ErrorType"]
  return (type(content) == "string" and content:sub(1, 4096) or "") .. (named or "")
end

local clock_codes = {
  "RequestTimeTooSkewed", "InvalidSignature", "SignatureDoesNotMatch", "RequestExpired", "RequestInTheFuture",
}

-- By how many seconds the server's clock is ahead, when it refused a request because of that.
local function skew(err, offset)
  local code = err.http_status_code
  if code ~= 400 and code ~= 401 and code ~= 403 then return nil end
  local time = err.entity and dates.of_http(err.entity.headers["Date"])
  local text = text_of(err)
  local is_about_time = text == "" -- as the answer to HEAD
  for _, name in ipairs(clock_codes) do is_about_time = is_about_time or text:find(name, 1, true) end
  if not time or not is_about_time or math.abs(time - (rest.now() + offset)) < SKEW then return nil end
  return time - rest.now()
end

local function clock_error(err, ahead)
  return rest.error {
    user_message = ("The server refused the signature because this machine's clock is %d s %s its own \z
      (Date: %s): set the clock. Further requests are signed with the server's time."):format(
      math.floor(math.abs(ahead)), ahead > 0 and "behind" or "ahead of", err.entity.headers["Date"]),
    http_status_code = err.http_status_code, entity = err.entity,
    cause = { type = "clock_skew", message = tostring(err), seconds = ahead },
  }
end

local function credentials_error(problem)
  return rest.error {
    user_message = "The request can't be signed: " .. problem,
    cause = { type = "aws_credentials", message = problem },
  }
end

local function use(service, options)
  check(options, "aws_sigv4")
  local source, offset = aws_credentials.source(options, "aws_sigv4"), 0

  local function sign(draft)
    local found, problem = source:current()
    if not found then
      error(credentials_error(problem or "the credentials for AWS are loaded only when it is sent"), 0)
    end
    local payload = payload_of(draft, options.service)
    aws_signature.sign(draft, options, found, rest.now() + offset, payload)
  end

  -- The request, which is repeated at most once, when its credentials have expired.
  local function watched(request, may_repeat)
    local used = source.found
    return request:chained(function(info)
      local err = info.response.error
      if not err then return rest.use_this_response end
      local ahead = skew(err, offset)
      if ahead then
        offset = ahead
        return rest.use_response(clock_error(err, ahead))
      end
      local is_expired = may_repeat and text_of(err):find("ExpiredToken", 1, true) and source:forget(used)
      if is_expired and source:get() then return rest.pass_to(watched(request:repeated(), false)) end
      return rest.use_this_response
    end)
  end

  local function decorate(_, request)
    if source:current() then return watched(request, true) end
    -- It fails at once, because `sign` does, unless a script repeats it later. Its own repeat is signed, and
    -- also has its file or its function for the body.
    return request:chained(function(info)
      local cause = info.response.error and info.response.error.cause
      if not cause or cause.type ~= "aws_credentials" then return rest.use_this_response end
      local loaded, problem = source:get()
      if loaded then return rest.pass_to(watched(request:repeated(), true)) end
      return rest.use_response(credentials_error(tostring(problem)))
    end)
  end

  -- Mutators run in the order of their blocks, and the signature must be the last. So when blocks first run,
  -- a second block joins them behind all others of the script, and signs in place of the first.
  local has_second, current = false, nil
  scope.configure(service, options, "aws_sigv4", function(c)
    local here = { is_last = true }
    current = here
    c:decorate_requests(decorate)
    c:mutate_requests(function(draft)
      if here.is_last then sign(draft) end
    end)
    if has_second then return end
    has_second = true
    scope.configure(service, options, "aws_sigv4, behind the blocks of the script", function(last)
      current.is_last = false
      last:mutate_requests(sign)
    end)
  end)
end

local function presign(url, options)
  local owner = "aws_sigv4.presign"
  check(options, owner)
  local parts = aws_signature.split(url)
  if not parts then plugin.blame(("'%s' takes an absolute URL, not '%s'"):format(owner, url)) end
  if ("&" .. parts.query):lower():find("&x-amz-signature=", 1, true) then
    plugin.blame(("the URL for '%s' is signed already"):format(owner))
  end
  for name, value in pairs(options.headers or {}) do
    if type(name) ~= "string" or type(value) ~= "string" then
      plugin.blame(("bad option 'headers' to '%s' (its fields are texts by name)"):format(owner))
    end
  end
  local found, problem = aws_credentials.source(options, owner):get()
  if not found then return nil, problem end
  return aws_signature.presign(url, options, found, rest.now())
end

return plugin {
  name = "aws_sigv4",
  description = "Signs requests for AWS (Signature Version 4), and sends the query that it signed.",
  options = scope.options(with_options()),
  use = use,
  functions = {
    {
      name = "presign",
      signature = "(url: string, options: { ... }) -> string | nil, message",
      description = "A URL that permits one kind of request until it expires, for somebody without \z
        credentials. It waits only while credentials are loaded.",
      options_at = 2,
      options = with_options {
        { name = "method", type = "string", default = "GET", description = "The method that it permits." },
        {
          name = "expires", type = "integer", default = 3600, least = 1, most = 604800, unit = "seconds",
          description = "The time for which it is valid.",
        },
        {
          name = "headers", type = "table<string, string>",
          description = "Headers that the request must have, such as `Content-Type`.",
        },
      },
      call = presign,
    },
  },
}
