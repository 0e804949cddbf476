-- Turns a document of Swagger 2.0 into one of OpenAPI 3.0.
local swagger = {}

local function table_of(value) return type(value) == "table" and value or {} end

local methods = { "get", "put", "post", "delete", "options", "head", "patch", "trace" }

local flows = { implicit = "implicit", password = "password", application = "clientCredentials" }

local function security_scheme(scheme)
  scheme = table_of(scheme)
  if scheme.type == "basic" then
    return { type = "http", scheme = "basic", description = scheme.description }
  end
  if scheme.type ~= "oauth2" then return scheme end
  local flow = flows[scheme.flow] or "authorizationCode"
  return {
    type = "oauth2", description = scheme.description,
    flows = {
      [flow] = {
        authorizationUrl = scheme.authorizationUrl, tokenUrl = scheme.tokenUrl, scopes = scheme.scopes,
      },
    },
  }
end

-- How a list in a parameter is written.
local styles = {
  csv = { style = "form", explode = false },
  ssv = { style = "spaceDelimited", explode = false },
  tsv = { style = "spaceDelimited", explode = false },
  pipes = { style = "pipeDelimited", explode = false },
  multi = { style = "form", explode = true },
}

local of_schema = {
  "type", "format", "items", "enum", "default", "minimum", "maximum", "pattern", "minLength", "maxLength",
}

-- The schema that a parameter of Swagger 2 has in its own fields.
local function schema_of(parameter)
  local schema = {}
  for _, name in ipairs(of_schema) do schema[name] = parameter[name] end
  if schema.type == "file" then schema.type, schema.format = "string", "binary" end
  return schema
end

local function parameter(old)
  local new = {
    name = old.name, ["in"] = old["in"], required = old.required, description = old.description,
    schema = schema_of(old), example = old["x-example"],
  }
  if old.type == "array" then
    local style = styles[old.collectionFormat] or styles.csv
    local is_query = old["in"] == "query"
    new.style, new.explode = is_query and style.style or "simple", is_query and style.explode or false
  end
  return new
end

local function content(types, schema, example)
  local result = {}
  for _, type in ipairs(#types > 0 and types or { "application/json" }) do
    if tostring(type):find "/" then result[type] = { schema = schema, example = example } end
  end
  return result
end

-- The body that parameters with `in: formData` make.
local function form_body(fields, types)
  local properties, required, has_file = {}, {}, false
  for _, field in ipairs(fields) do
    properties[field.name] = schema_of(field)
    properties[field.name].description = field.description
    if field.required == true then required[#required + 1] = field.name end
    has_file = has_file or field.type == "file"
  end
  local wanted = {}
  for _, type in ipairs(types) do
    if tostring(type):find "form" then wanted[#wanted + 1] = type end
  end
  if #wanted == 0 then
    wanted = { has_file and "multipart/form-data" or "application/x-www-form-urlencoded" }
  end
  local schema = { type = "object", properties = properties, required = required }
  return { required = #required > 0, content = content(wanted, schema) }
end

local function response(old, types, document)
  if old["$ref"] then old = document.found(old["$ref"]) end
  local new = { description = old.description, headers = old.headers }
  if type(old.schema) == "table" then
    new.content = content(types, old.schema)
    for type, example in pairs(table_of(old.examples)) do
      if new.content[type] then new.content[type].example = example end
    end
  end
  return new
end

local function operation(old, common, root, document)
  local new = {}
  for key, value in pairs(old) do new[key] = value end
  local consumes, produces = table_of(old.consumes or root.consumes), table_of(old.produces or root.produces)
  local parameters, fields, own = {}, {}, {}
  local function add(list, is_common)
    for _, item in ipairs(table_of(list)) do
      item = table_of(item)
      if item["$ref"] then item = document.found(item["$ref"]) end
      local identity = ("%s %s"):format(item["in"], item.name)
      if not is_common then own[identity] = true end
      if is_common and own[identity] then
        -- The operation's own parameter goes before that of the path.
      elseif item["in"] == "body" then
        local schema = table_of(item.schema)
        local types = consumes
        if types[1] == "*/*" then types = { "application/json" } end
        new.requestBody = {
          required = item.required, description = item.description, content = content(types, schema),
        }
      elseif item["in"] == "formData" and type(item.name) == "string" then
        fields[#fields + 1] = item
      else
        parameters[#parameters + 1] = parameter(item)
      end
    end
  end
  add(old.parameters, false)
  add(common, true)
  if #fields > 0 then new.requestBody = form_body(fields, consumes) end
  new.parameters, new.responses = parameters, {}
  for status, item in pairs(table_of(old.responses)) do
    new.responses[status] = response(table_of(item), produces, document)
  end
  return new
end

-- The URL of the API. Without a host it is relative to that of the document.
local function servers(root)
  local path = type(root.basePath) == "string" and root.basePath or ""
  if type(root.host) ~= "string" then return { { url = path ~= "" and path or "/" } } end
  local scheme = "https"
  local schemes = table_of(root.schemes)
  if #schemes > 0 then
    scheme = "http"
    for _, one in ipairs(schemes) do scheme = one == "https" and one or scheme end
  end
  return { { url = ("%s://%s%s"):format(scheme, root.host, path) } }
end

--- The same document in OpenAPI 3.0. `document.find` follows references in the old one.
function swagger.convert(root, document)
  local new = {
    openapi = "3.0.0", info = root.info, servers = servers(root), security = root.security, tags = root.tags,
    paths = {}, components = { schemas = root.definitions, securitySchemes = {} },
  }
  for name, scheme in pairs(table_of(root.securityDefinitions)) do
    new.components.securitySchemes[name] = security_scheme(scheme)
  end
  local finder = setmetatable({ source = root, root = root, resolved = {} }, { __index = document })
  function finder.found(reference) return finder:find(tostring(reference)) end
  for path, old in pairs(table_of(root.paths)) do
    old = table_of(old)
    local item = { summary = old.summary, description = old.description }
    for _, method in ipairs(methods) do
      if type(old[method]) == "table" then
        item[method] = operation(old[method], old.parameters, root, finder)
      end
    end
    new.paths[path] = item
  end
  return new
end

return swagger
