-- Logins of a person, for `resthost login`: the authorization code with PKCE (RFC 6749 4.1, RFC 7636), and
-- the device flow (RFC 8628).
local rest = require "resthost"
local base64url = require "resthost.base64url"
local remote = require "resthost.remote"

local login = {}

local device_code_grant = "urn:ietf:params:oauth:grant-type:device_code"
local default_redirect = "http://127.0.0.1:8400/callback"

local function with_query(url, parameters)
  local written = {}
  for _, parameter in ipairs(parameters) do
    local name, value = parameter[1], parameter[2]
    if value then written[#written + 1] = rest.url.encode(name) .. "=" .. rest.url.encode(value) end
  end
  return url .. (url:find("?", 1, true) and "&" or "?") .. table.concat(written, "&")
end

-- The parameters in what a browser was sent to, or what a person pasted: a URL, its query, or the code alone.
local function redirected(text)
  text = text:match "^%s*(.-)%s*$"
  local query = text:match "^%w+://[^?#]*[?#](.*)$" or text:gsub("^%?", "")
  if not query:find "%f[%w_]code=" and not query:find "%f[%w_]error=" then
    return { code = text, is_bare = true }
  end
  local values = {}
  for name, value in query:gsub("#.*", ""):gmatch "([^&=]+)=([^&]*)" do
    values[rest.url.decode(name)] = rest.url.decode((value:gsub("%+", " ")))
  end
  return values
end

-- The code in an answer to this login. A code that was pasted alone has no state; PKCE still protects it.
local function code_of(values, state, issuer)
  if not values.is_bare and values.state ~= state then
    return nil, "the answer belongs to another login (state): begin again"
  end
  if values.error then return nil, remote.with_reason("the login was refused", values) end
  if values.iss and issuer and values.iss ~= issuer then
    return nil, ("the answer is of another issuer: '%s'"):format(values.iss:sub(1, 200))
  end
  if not values.code or values.code == "" then return nil, "the answer has no code" end
  return values.code
end

local function ask(options, terminal)
  local redirect_uri = options.redirect_uri or default_redirect
  return redirect_uri, function()
    terminal.print(("Then the browser goes to %s, which may fail. Copy that address."):format(redirect_uri))
    return terminal.ask "The address, or its code: "
  end
end

local function with_code(client, terminal)
  local options = client.options
  local url, err = client:endpoint("authorization_url", "authorization_endpoint")
  if not url then return nil, err end
  local redirect_uri, wait
  if terminal.listen then redirect_uri, wait = terminal.listen(options.redirect_uri) end
  if not wait then
    if not terminal.ask then return nil, "the terminal can't listen for the answer" end
    redirect_uri, wait = ask(options, terminal)
  end
  local verifier, state = base64url(rest.crypto.random_bytes(32)), base64url(rest.crypto.random_bytes(16))
  terminal.print "Open this address in a browser, and log in:"
  local parameters = {
    { "response_type", "code" }, { "client_id", options.client_id }, { "redirect_uri", redirect_uri },
    { "scope", options.scope }, { "audience", options.audience }, { "state", state },
    { "code_challenge", base64url(rest.crypto.sha256(verifier)) }, { "code_challenge_method", "S256" },
  }
  for name, value in pairs(options.parameters) do parameters[#parameters + 1] = { name, value } end
  terminal.print(with_query(url, parameters))
  local text, reason = wait()
  if not text then return nil, reason or "the login was cancelled" end
  local code
  code, err = code_of(redirected(text), state, options.issuer)
  if not code then return nil, err end
  return client:token {
    grant_type = "authorization_code", code = code, redirect_uri = redirect_uri, code_verifier = verifier,
  }
end

-- Asks again and again until the person has decided, or the code has expired.
local function poll(client, device_code, interval, lifetime)
  local deadline = rest.now() + lifetime
  while rest.now() + interval < deadline do
    rest.sleep(interval)
    local entry, err, code = client:token { grant_type = device_code_grant, device_code = device_code }
    if entry then return entry end
    if code == "slow_down" then
      interval = interval + 5
    elseif code == "access_denied" then
      return nil, "the login was refused"
    elseif code == "expired_token" then
      break
    elseif code ~= "authorization_pending" then
      return nil, err
    end
  end
  return nil, "the login took too long: begin again"
end

local function is_text(value) return type(value) == "string" and value ~= "" end

local function number_of(value, default, least, most)
  return math.max(least, math.min(tonumber(value) or default, most))
end

local function with_device(client, terminal)
  local options = client.options
  local url, err = client:endpoint("device_url", "device_authorization_endpoint")
  if not url then return nil, err end
  local answer
  answer, err = client:post(url, { scope = options.scope, audience = options.audience })
  if not answer then return nil, err end
  local address = is_text(answer.verification_uri) and answer.verification_uri or answer.verification_url
  if not is_text(answer.device_code) or not is_text(answer.user_code) or not is_text(address) then
    return nil, ("POST %s gave no 'device_code', 'user_code' or 'verification_uri'"):format(url)
  end
  rest.secret(answer.device_code)
  terminal.print(("Open %s in a browser, and enter the code %s"):format(address, answer.user_code))
  if is_text(answer.verification_uri_complete) then
    terminal.print(("Or open %s"):format(answer.verification_uri_complete))
  end
  local interval = number_of(answer.interval, 5, 1, 60)
  return poll(client, answer.device_code, interval, number_of(answer.expires_in, 600, 1, 3600))
end

local flows = { code = with_code, device = with_device }

--- Logs a person in, and keeps the tokens. Waits. Gives true, or nil and a message.
function login.run(client, keeper, terminal)
  local entry, err = flows[client.options.login](client, terminal)
  if not entry then return nil, err end
  local is_kept, reason = keeper:keep(entry)
  if not is_kept then return nil, reason end
  if not entry.refresh_token then
    terminal.print "The server gave no refresh token: log in again when this token has expired."
  end
  return true
end

return login
