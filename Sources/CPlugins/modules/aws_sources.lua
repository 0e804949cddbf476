-- Where credentials for AWS come from: options, the environment, a file of profiles, and the endpoints that
-- containers and instances have. Helps aws_credentials.
local rest = require "resthost"
local dates = require "resthost.dates"

local aws_sources = {}

-- The value of a variable, or nil and the reason when the script may not read it.
local function variable(name)
  local is_allowed, value = pcall(function() return rest.env[name] end)
  if not is_allowed then return nil, (tostring(value):gsub("^%S+:%d+: ", "")) end
  if value == "" then return nil end
  return value
end

--- Checked credentials, with their secrets hidden from now on.
function aws_sources.checked(given, origin)
  if type(given) ~= "table" then
    return nil, ("%s gave a %s in place of a table of credentials"):format(origin, type(given))
  end
  for _, name in ipairs { "access_key_id", "secret_access_key" } do
    if type(given[name]) ~= "string" or given[name] == "" then
      return nil, ("%s has no '%s'"):format(origin, name)
    end
  end
  if given.access_key_id:find "[%s/,=%c]" then
    return nil, ("%s has an 'access_key_id' with a character that no ID has"):format(origin)
  end
  if given.session_token ~= nil and type(given.session_token) ~= "string" then
    return nil, ("%s has a 'session_token' that is no text"):format(origin)
  end
  if given.expires_at ~= nil and type(given.expires_at) ~= "number" then
    return nil, ("%s has an 'expires_at' that is no number of Unix seconds"):format(origin)
  end
  for _, name in ipairs { "secret_access_key", "session_token" } do
    local secret = given[name]
    if type(secret) == "string" and #secret >= 6 and #secret <= 65536 then rest.secret(secret) end
  end
  return {
    access_key_id = given.access_key_id, secret_access_key = given.secret_access_key,
    session_token = given.session_token ~= "" and given.session_token or nil, expires_at = given.expires_at,
  }
end

local function from_environment(notes)
  local id, refusal = variable "AWS_ACCESS_KEY_ID"
  if not id then
    notes[#notes + 1] = refusal or "AWS_ACCESS_KEY_ID is not set"
    return nil
  end
  local secret, why = variable "AWS_SECRET_ACCESS_KEY"
  if not secret then return nil, why or "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not" end
  local token, denial = variable "AWS_SESSION_TOKEN"
  if denial then notes[#notes + 1] = denial end
  local keys = { access_key_id = id, secret_access_key = secret, session_token = token }
  return aws_sources.checked(keys, "the environment")
end

-- The values of a section of a file of profiles, or nil when it has no such section.
local function section(text, wanted)
  local values, current
  for line in text:gmatch "[^\r\n]+" do
    local name = line:match "^%s*%[%s*(.-)%s*%]"
    local key, value = line:match "^%s*([%w_]+)%s*=%s*(.-)%s*$"
    if name then
      current = name
      if name == wanted then values = values or {} end
    elseif key and current == wanted then
      values[key] = value
    end
  end
  return values
end

local function file_of_profiles(options)
  local file = options.credentials_file or variable "AWS_SHARED_CREDENTIALS_FILE" or "~/.aws/credentials"
  if file:sub(1, 2) ~= "~/" then return file end
  local home, refusal = variable "HOME"
  if home then return home .. file:sub(2) end
  return nil, refusal or ("HOME is not set, so %s is not known"):format(file)
end

local function from_profile(options, notes)
  local wanted = options.profile or variable "AWS_PROFILE" or "default"
  local file, unknown = file_of_profiles(options)
  local text, problem
  if file then text, problem = rest.read_file(file) end
  if not text then
    notes[#notes + 1] = unknown or problem
    return nil, options.profile and ("profile '%s': %s"):format(wanted, notes[#notes]) or nil
  end
  local values = section(text, wanted)
  if not values then
    notes[#notes + 1] = ("%s has no profile '%s'"):format(file, wanted)
    return nil, options.profile and notes[#notes] or nil
  end
  if not values.aws_access_key_id then
    local advice = "for roles and processes give 'credentials = function() … end'"
    return nil, ("profile '%s' of %s has no keys: %s"):format(wanted, file, advice)
  end
  return aws_sources.checked({
    access_key_id = values.aws_access_key_id, secret_access_key = values.aws_secret_access_key,
    session_token = values.aws_session_token,
  }, ("profile '%s' of %s"):format(wanted, file))
end

-- Without a proxy, because the endpoints are near.
local endpoints

local function fetch(method, url, headers)
  if not endpoints then
    endpoints = rest.service {
      name = "AWS credentials", transport = { proxy = "" }, standard_transformers = {}, internal = true,
    }
    endpoints:configure({ description = "aws_credentials" }, function(c)
      c.timeouts = { connect = 1, first_byte = 3, total = 5 }
      c.max_body_bytes = 65536
      c.redirects.follow = false
      c.retry = { attempts = 2 }
    end)
  end
  local entity, err = endpoints:resource_at(url):request(method, { headers = headers }):await()
  if not entity then return nil, tostring(err) end
  if entity.status ~= 200 then return nil, ("%s %s answers %d"):format(method, url, entity.status) end
  return entity.content
end

-- The credentials in an endpoint's answer.
local function answered(url, text, problem)
  if not text then return nil, problem end
  local answer = rest.json.decode(text)
  if type(answer) ~= "table" then return nil, ("the answer of %s is no JSON object"):format(url) end
  if answer.Code and answer.Code ~= "Success" then
    return nil, ("%s answers with the code '%s'"):format(url, tostring(answer.Code))
  end
  return aws_sources.checked({
    access_key_id = answer.AccessKeyId, secret_access_key = answer.SecretAccessKey,
    session_token = answer.Token, expires_at = dates.of_iso(answer.Expiration),
  }, ("the answer of %s"):format(url))
end

-- Whether a token may go to a host without TLS: only this machine, and the endpoints of ECS and EKS.
local function is_near(host)
  return host == "localhost" or host == "::1" or host == "fd00:ec2::23" or host == "169.254.170.2"
    or host == "169.254.170.23" or host:find "^127%.%d+%.%d+%.%d+$" ~= nil
end

local function from_container(notes)
  local path, refusal = variable "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  if path and path:sub(1, 1) ~= "/" then
    return nil, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is no path: it begins with no slash"
  end
  local url = path and "http://169.254.170.2" .. path or variable "AWS_CONTAINER_CREDENTIALS_FULL_URI"
  if not url then
    notes[#notes + 1] = refusal or "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and …_FULL_URI are not set"
    return nil
  end
  local parsed = rest.url.parse(url)
  if not parsed or not parsed.host then
    return nil, ("AWS_CONTAINER_CREDENTIALS_FULL_URI is no URL: '%s'"):format(url)
  end
  if parsed.scheme ~= "https" and not is_near(parsed.host:gsub("[%[%]]", "")) then
    return nil, ("AWS_CONTAINER_CREDENTIALS_FULL_URI names '%s', which needs https"):format(parsed.host)
  end
  local token = variable "AWS_CONTAINER_AUTHORIZATION_TOKEN"
  local file = variable "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
  if file then
    local text, problem = rest.read_file(file)
    if not text then return nil, problem end
    token = text:match "^%s*(.-)%s*$"
  end
  return answered(url, fetch("GET", url, token and { Authorization = token } or {}))
end

local function from_instance(notes)
  if (variable "AWS_EC2_METADATA_DISABLED" or ""):lower() == "true" then
    notes[#notes + 1] = "AWS_EC2_METADATA_DISABLED is true"
    return nil
  end
  local base = (variable "AWS_EC2_METADATA_SERVICE_ENDPOINT" or "http://169.254.169.254"):gsub("/*$", "")
  local token, problem = fetch("PUT", base .. "/latest/api/token",
    { ["X-aws-ec2-metadata-token-ttl-seconds"] = "21600" })
  if not token then return nil, problem end
  local headers = { ["X-aws-ec2-metadata-token"] = token }
  local url = base .. "/latest/meta-data/iam/security-credentials/"
  local roles, failure = fetch("GET", url, headers)
  if not roles then return nil, failure end
  local role = roles:match "^%s*([^\r\n]+)"
  if not role then return nil, "the instance has no role" end
  url = url .. rest.url.encode(role)
  return answered(url, fetch("GET", url, headers))
end

--- Credentials that need no wait, or nil and a message when the search ends here. Adds reasons to the notes.
function aws_sources.at_once(options, notes)
  if options.access_key_id then return aws_sources.checked(options, "the options") end
  if options.credentials then return nil end
  local found, problem
  if not options.profile then
    found, problem = from_environment(notes)
    if found or problem then return found, problem end
  end
  return from_profile(options, notes)
end

--- Credentials of a function or an endpoint, or nil and a message. It waits.
function aws_sources.elsewhere(options, notes)
  if options.credentials then
    local given, problem = options.credentials()
    if given == nil then return nil, ("'credentials' gave nothing: %s"):format(tostring(problem)) end
    return aws_sources.checked(given, "the result of 'credentials'")
  end
  local found, problem = from_container(notes)
  if not found and not problem then found, problem = from_instance(notes) end
  if found then return found end
  notes[#notes + 1] = problem
  return nil, "no credentials for AWS were found: " .. table.concat(notes, "; ")
end

return aws_sources
