import LuaRuntime
import Platform
import RestEngine

/// The body of a request as a script gives it, as far as it is read with the other options.
struct BodyOptions {
    /// Places on the stack.
    var body: Int32?
    var json: Int32?
    var form: Int32?
    var multipart: Int32?
    /// Bytes, which may be no text.
    var text: [UInt8]?
    var charset: String?
    var file: String?

    static let fields: [ScriptOption<BodyOptions>] = [
        .place(
            "body", type: "string",
            "Bytes that are sent as they are. A request has one of `body`, `text`, `json`, `form`, `multipart` and `file`."
        ) { $0.body = $1 },
        .text("charset", default: "\"utf-8\"", "Of `text`.") { $0.charset = $1 },
        .init("text", type: "string", "Text, in the charset that `charset` names.") { options, given, _ in
            given.text = try options.bytes("text")
        },
        .place("json", type: "any", "A value that is sent as JSON.") { $0.json = $1 },
        .place(
            "form", type: "table", isTable: true,
            "Names and values, sorted by name, or a list of pairs in its order; sent as a form of a page is."
        ) { $0.form = $1 },
        .place(
            "multipart", type: "{ ... }[]", isTable: true, fields: PartOptions.schema.descriptions,
            "Parts, in their order, as of a form with files."
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
        .text("name", "Of the field.") { $0.name = $1 }.required(),
        .init(
            "value", type: "string | number | boolean", "Its value; a part has either this or `file`."
        ) { options, part, _ in
            guard let place = options.value("value") else { return }
            defer { options.lua.pop() }
            part.value = try bytes(options.lua, place)
        },
        .text("file", "The path of a file that is read while it is sent.") { $0.file = $1 },
        .text("filename", "What the server hears as the file's name.") { $0.filename = $1 },
        .text("content_type", "Of the part.") { $0.contentType = $1 },
    ])

    /// Of a string, or of the text of a number or boolean.
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

/// The body that options name, or why it is none.
struct GivenBody {
    let kind: DefinedBody.Kind
    let body: Result<RequestBody, RequestError.CauseError>
}

extension OptionField where Values == OptionTable {
    /// A key, or whether there is to be a random one.
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
