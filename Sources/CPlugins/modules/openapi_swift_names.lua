-- Names in Swift for what an OpenAPI document names.
local writer = require "resthost.script_writer"

local names = {}

local keywords = {}
for word in ([[Any Self actor as associatedtype async await borrowing break case catch class consuming
continue default defer deinit do else enum extension fallthrough false fileprivate for func get guard if
import in indirect init inout internal is lazy let mutating nil nonmutating open operator optional
override postfix precedencegroup prefix private protocol public repeat required rethrows return self set
some static struct subscript super switch throw throws true try typealias var weak where while willSet
didSet Type Protocol]]):gmatch "%S+" do
  keywords[word] = true
end

-- Types that the file uses itself: a model with such a name would hide them.
local used_types = {}
for word in ([[Any Array Authorize Body Bool Call CallProperties Character Codable CodingKey CodingKeys
Configure ContentType Decodable Decoder DefinitionError Dictionary Double Encodable Encoder Endpoint
Entity Error Header Headers Indirect Int Method Models MultipartPart Never Optional Path PathConvertible
PropertiesBuilder Query QueryValueConvertible RawRepresentable Result Self Sendable Service Session Set
String Task Timeout Tree Type UInt8 Void]]):gmatch "%S+" do
  used_types[word] = true
end

local function camel(text)
  local name = writer.snake_case(text):gsub("_(%w)", string.upper):sub(1, 80)
  if name == "" then name = "unnamed" end
  return name:find "^%d" and "n" .. name or name
end

--- The name of a function, a parameter or a property: `photoUrls`.
function names.value(text)
  if text:find "^%l[%w]*$" then return text end
  return camel(text)
end

--- A name where it is declared or used alone: a keyword is in backticks.
function names.quoted(name) return keywords[name] and "`" .. name .. "`" or name end

--- A name that isn't taken, and takes it.
function names.unique(name, taken) return writer.unique(name, taken, "") end

--- The name of a type: `PetDetails`.
function names.type(text, taken)
  local name = camel(text):gsub("^%l", string.upper)
  if used_types[name] or keywords[name] then name = name .. "Model" end
  return names.unique(name, taken)
end

--- A text in quotation marks.
function names.text(text)
  return '"' .. text:gsub('[%c"\\]', function(byte)
    if byte == '"' or byte == "\\" then return "\\" .. byte end
    return ("\\u{%x}"):format(byte:byte())
  end) .. '"'
end

--- Lines of a comment.
function names.comment(text, indent, add)
  for _, line in ipairs(text and writer.comment(text, "/// ", indent) or {}) do add(line) end
end

return names
