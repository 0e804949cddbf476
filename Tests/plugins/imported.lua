-- Helpers for the tests of `import`: the files of a result, and the script among them as a module.
local rest = require "resthost"

local imported = {}

--- A document beside the tests, decoded.
function imported.document(name)
  return assert(rest.json.decode(assert(rest.read_file("documents/" .. name))))
end

--- The file of a result whose path ends like this.
function imported.file(result, suffix)
  for _, file in ipairs(result.files) do
    if file.path:sub(-#suffix) == suffix then return file end
  end
  error("no file " .. suffix)
end

--- The functions of the generated script, in a host.
function imported.api(result, host, options)
  local given = { rest = host.rest }
  for name, value in pairs(options or {}) do given[name] = value end
  return assert(load(imported.file(result, "_generated.lua").text, "generated"))().new(given)
end

--- A document with one operation, for what goes wrong.
function imported.with_operation(operation, more)
  local document = {
    openapi = "3.1.0", info = { title = "T", version = "1" }, servers = { { url = "https://t.test" } },
    paths = { ["/x"] = { get = operation } },
  }
  for key, value in pairs(more or {}) do document[key] = value end
  return document
end

return imported
