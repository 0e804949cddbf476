import LuaRuntime
import Platform
import RestEngine

/// The body of a request as a script gives it, read with the other options.
struct BodyOptions {
    /// The index of the value on the stack.
    var body: Int32?
    var json: Int32?
    var form: Int32?
    var multipart: Int32?
    /// The bytes of the text, which may not be valid UTF-8.
    var text: [UInt8]?
    var charset: String?
    var file: String?

    static let fields: [ScriptOption<BodyOptions>] = [
        .place(
            "body", type: "string",
            "Bytes that are sent unchanged. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`."
        ) { $0.body = $1 },
        .text("charset", default: "\"utf-8\"", "Of `text`.") { $0.charset = $1 },
        .init("text", type: "string", "Text, in the charset that `charset` names.") { options, given, _ in
            given.text = try options.bytes("text")
        },
        .place("json", type: "any", "A value that is sent as JSON.") { $0.json = $1 },
        .place(
            "form", type: "table", isTable: true,
            "The fields of an HTML form: a table, which is sorted by name, or a list of pairs in order."
        ) { $0.form = $1 },
        .place(
            "multipart", type: "{ ... }[]", isTable: true, fields: PartOptions.schema.descriptions,
            "The parts of a form with files, in order."
        ) { $0.multipart = $1 },
        .text("file", "The path of a file that is read while it is sent.") { $0.file = $1 },
    ]
}

/// One part of a multipart body, as a script gives it.
struct PartOptions {
    var name = ""
    var value: [UInt8]?
    var file: String?
    var filename: String?
    var contentType: String?

    static let schema = ScriptSchema<PartOptions>([
        .text("name", "The name of the field.") { $0.name = $1 }.required(),
        .init(
            "value", type: "string | number | boolean", "Its value; a part has either this or `file`."
        ) { options, part, _ in
            guard let place = options.value("value") else { return }
            defer { options.lua.pop() }
            part.value = try bytes(options.lua, place)
        },
        .text("file", "The path of a file that is read while it is sent.") { $0.file = $1 },
        .text("filename", "The name of the file for the server.") { $0.filename = $1 },
        .text("content_type", "The content type of the part.") { $0.contentType = $1 },
    ])

    /// The bytes of a string, or of the text of a number or boolean.
    private static func bytes(_ lua: Lua, _ place: Int32) throws -> [UInt8] {
        if let bytes = lua.rawBytes(place) { return bytes }
        switch lua.type(place) {
        case .number, .boolean: return Array(try lua.tostring(place).utf8)
        default:
            throw LuaUsageError(
                "the value of a part is a string, a number or a boolean, not a \(lua.typeName(place))")
        }
    }
}

/// The body of the options, or the reason why it can't be made.
struct GivenBody {
    let kind: DefinedBody.Kind
    let body: Result<RequestBody, RequestError.CauseError>
}

extension OptionField where Values == OptionTable {
    /// A key, or true for a random one.
    static func idempotencyKey(
        _ store: @escaping @Sendable (inout Target, IdempotencyChoice?) -> Void
    ) -> Self {
        Self(
            "idempotency_key", type: "string | boolean", default: "false",
            "Sent as `Idempotency-Key`, the same for a request and its repeats; `true` makes a random one."
        ) { options, target, _ in
            guard let place = options.value("idempotency_key") else { return }
            defer { options.lua.pop() }
            if let key = options.lua.string(place) { return store(&target, .key(key)) }
            guard let isWanted = options.lua.boolean(place) else {
                throw LuaUsageError(
                    "option 'idempotency_key' is a string, or true for a random one, not a \(options.lua.typeName(place))"
                )
            }
            store(&target, isWanted ? .random : nil)
        }
    }
}
