-- Makes a script of command lines of curl, for `resthost import curl`.
local rest = require "resthost"
local recorded = require "resthost.recorded_requests"
local shell = require "resthost.shell_words"

local import = {}

-- Options with a value, by their one name here; the others of curl that have one are left out with it.
local with_value = {
  request = "X", header = "H", data = "d", ["data-ascii"] = "d", ["data-raw"] = true, ["data-binary"] = true,
  ["data-urlencode"] = true, json = true, form = "F", ["form-string"] = true, user = "u", cookie = "b",
  ["user-agent"] = "A", referer = "e", url = true, ["oauth2-bearer"] = true, ["upload-file"] = "T",
}
local left_out = {
  output = "o", ["write-out"] = "w", ["max-time"] = "m", ["connect-timeout"] = true, retry = true,
  proxy = "x",
  ["retry-delay"] = true, ["cookie-jar"] = "c", ["dump-header"] = "D", resolve = true, range = "r",
  cert = "E",
  cacert = true, key = true, interface = true, ["limit-rate"] = true, ["max-redirs"] = true, config = "K",
  ["aws-sigv4"] = true, ["unix-socket"] = true, ["proxy-user"] = "U", ciphers = true, ["connect-to"] = true,
}
-- Options without a value. Those without effect here are silent, the others are named in a warning.
local silent = {
  compressed = true, silent = true, ["show-error"] = true, verbose = true, include = true, fail = true,
  location = true, ["fail-with-body"] = true, ["progress-bar"] = true, ["no-buffer"] = true, globoff = true,
  ["remote-name"] = true, ["http1.1"] = true, http2 = true, ipv4 = true, ipv6 = true,
  ["no-progress-meter"] = true,
  ["tr-encoding"] = true, parallel = true,
}
local flags = { get = true, head = true, digest = true, basic = true }
local letters = {
  G = "get", I = "head", s = "silent", S = "show-error", v = "verbose", i = "include", f = "fail",
  L = "location",
  k = "insecure", N = "no-buffer", O = "remote-name", g = "globoff", ["#"] = "progress-bar", Z = "parallel",
  ["4"] = "ipv4", ["6"] = "ipv6",
}
for _, options in ipairs { with_value, left_out } do
  for name, letter in pairs(options) do
    if letter ~= true then letters[letter] = name end
  end
end
letters.d = "data"

local advice = {
  insecure = "trust the server's certificate with `transport.ca_file`", cacert = "set `transport.ca_file`",
  cert = "set `transport.client_certificate`", key = "set `transport.client_key`",
  proxy = "set `transport.proxy`",
  ["max-time"] = "set `c.timeouts.total`", ["connect-timeout"] = "set `c.timeouts.connect`",
  retry = "set `c.retry`", ["aws-sigv4"] = "use the plugin aws_sigv4",
  ["unix-socket"] = "set `transport.unix_socket`",
  resolve = "set `transport.resolve`",
}

-- Calls `found(name, value)` for each option of a command, and `found("url", value)` for other words.
local function each_option(words, found, warn)
  local place = 2
  local function value_of(name, joined)
    if joined and joined ~= "" then return joined end
    place = place + 1
    if not words[place] then warn("the option '%s' of curl has no value", name) end
    return words[place] or ""
  end
  local function meet(name, joined)
    if with_value[name] then
      found(name, value_of(name, joined))
      return true
    elseif left_out[name] then
      value_of(name, joined)
      if name ~= "output" and name ~= "write-out" and name ~= "cookie-jar" and name ~= "dump-header" then
        warn("the option '%s' of curl is left out%s", name, advice[name] and ": " .. advice[name] or "")
      end
      return true
    elseif flags[name] then
      found(name)
    elseif not silent[name] then
      warn("the option '%s' of curl is left out%s", name, advice[name] and ": " .. advice[name] or "")
    end
  end
  while words[place] do
    local word = words[place]
    if word:find "^%-%-." then
      meet(word:sub(3))
    elseif word:find "^%-." then
      for index = 2, #word do
        local letter = word:sub(index, index)
        if meet(letters[letter] or letter, word:sub(index + 1)) then break end
      end
    else
      found("url", word)
    end
    place = place + 1
  end
end

-- The text of `--data-urlencode`: `content`, `=content`, `name=content`.
local function url_encoded(value)
  local name, content = value:match "^([^=]*)=(.*)$"
  if not name then return rest.url.encode(value) end
  return (name ~= "" and name .. "=" or "") .. rest.url.encode(content)
end

local function form_part(value, is_plain)
  local name, content = value:match "^([^=]*)=(.*)$"
  if not name then return nil end
  if is_plain then return { name = name, value = content } end
  local text, options = content:match "^([^;]*)(.*)$"
  local part = { name = name, content_type = options:match ";%s*type=([^;]+)" }
  if text:find "^[@<]" then
    part.file, part.filename = text:sub(2), options:match ";%s*filename=([^;]+)"
  else
    part.value = text:gsub('^"(.*)"$', "%1")
  end
  return part
end

-- A command line as a request.
local function request_of(words, warn)
  local request, data, urls = { headers = {} }, {}, {}
  local is_get, is_json
  local function header(name, value) table.insert(request.headers, { name, value }) end
  each_option(words, function(name, value)
    if name == "url" then
      urls[#urls + 1] = value
    elseif name == "request" then
      request.method = value:upper()
    elseif name == "header" then
      local field, content = value:match "^([^:;]+)[:;]%s*(.-)%s*$"
      if field and not value:find "^@" then
        header(field, content)
      else
        warn("the header '%s' is left out", value)
      end
    elseif name == "user" then
      request.user = value
    elseif name == "digest" then
      request.is_digest = true
    elseif name == "cookie" then
      if value:find "=" then
        header("Cookie", value)
      else
        warn("the file of cookies '%s' is left out", value)
      end
    elseif name == "user-agent" then
      header("User-Agent", value)
    elseif name == "referer" then
      header("Referer", value)
    elseif name == "oauth2-bearer" then
      header("Authorization", "Bearer " .. value)
    elseif name == "get" then
      is_get = true
    elseif name == "head" then
      request.method = request.method or "HEAD"
    elseif name == "form" or name == "form-string" then
      local part = form_part(value, name == "form-string")
      request.parts = request.parts or {}
      if part then table.insert(request.parts, part) else warn("the field '%s' has no '='", value) end
    elseif name == "upload-file" then
      request.file, request.method = value, request.method or "PUT"
    elseif name ~= "basic" then
      is_json = is_json or name == "json"
      if value == "@-" and name ~= "data-raw" or name == "data-urlencode" and value:find "^[^=]*@" then
        warn("the option '%s %s' of curl is left out: put the data into a block", name, value)
      elseif value:find "^@" and name ~= "data-raw" then
        request.file = value:sub(2)
      else
        data[#data + 1] = name == "data-urlencode" and url_encoded(value) or value
      end
    end
  end, warn)
  if #urls ~= 1 then
    warn("a command line of curl with %d URLs is left out", #urls)
    return nil
  end
  request.url = urls[1]
  if not request.url:find "^%a+://" then request.url = "http://" .. request.url end
  local text = #data > 0 and table.concat(data, is_json and "" or "&") or nil
  if is_get and text then
    request.url = request.url .. (request.url:find("?", 1, true) and "&" or "?") .. text
    text = nil
  end
  if text and request.file then
    warn("the file '%s' is left out: a body has either a file or data", request.file)
    request.file = nil
  end
  request.text = text
  if (text or request.file) and not request.parts then
    request.default_type = is_json and "application/json" or "application/x-www-form-urlencoded"
    if request.method == "PUT" and request.file and not text then
      request.default_type = "application/octet-stream"
    end
  end
  request.method = request.method or (text or request.parts or request.file) and "POST" or "GET"
  return request
end

--- Makes the files of a text with command lines.
function import.run(text, options)
  local warnings = {}
  local function warn(message, ...)
    if #warnings < 100 then warnings[#warnings + 1] = message:format(...) end
  end
  local commands, message = shell.commands(text)
  if not commands then return nil, message end
  local requests = {}
  for _, words in ipairs(commands) do
    -- Documents show a prompt in front of commands.
    if words[1] == "$" and #words > 1 then table.remove(words, 1) end
    if words[1]:find "^curl$" or words[1]:find "/curl$" then
      requests[#requests + 1] = request_of(words, warn)
    else
      warn("the command '%s' is left out: it is not curl", words[1]:sub(1, 40))
    end
  end
  if #requests == 0 then
    return nil, "the text has no command line of curl with a URL" .. (warnings[1] and ": " .. warnings[1] or "")
  end
  return recorded.files(requests, options, warnings, "Requests of curl")
end

return import
