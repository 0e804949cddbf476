import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// `rest.msgpack`.
struct MessagePackBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        let time = "A time (extension -1) is its seconds since 1970; other extensions are an error."
        return BindingSet(tables: [table("rest.msgpack", .messagePack, "MessagePack", time)])
    }
}

/// `rest.cbor`.
struct CBORBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        let tags = "Tags for times, texts and large integers give the value inside; other tags are an error."
        return BindingSet(tables: [table("rest.cbor", .cbor, "CBOR", tags)])
    }
}

extension ValueBinding {
    fileprivate func table(
        _ name: String, _ format: BinaryFormat, _ title: String, _ sentence: String
    ) -> ModuleTable {
        ModuleTable(
            name: name,
            functions: [
                ModuleFunction(
                    "decode", signature: "(bytes: string, options?: { ... }) -> value | nil, message",
                    documentation: """
                        The value of \(title) bytes. Texts and bytes are strings, and the keys of maps are \
                        strings, numbers or booleans. \(sentence)
                        """,
                    options: BinaryFormat.Options.schema.descriptions
                ) { call in
                    let bytes = try call.rawBytes(1, "bytes")
                    var given = BinaryFormat.Options()
                    try call.options(2).read(BinaryFormat.Options.schema, into: &given)
                    given.limits = limits(depth: given.limits.depth)
                    return try push(call.lua) { stop throws(FormatError) in
                        try format.decode(bytes, given, stop: stop)
                    }
                },
                ModuleFunction(
                    "encode", signature: "(value, options?: { ... }) -> string",
                    documentation: """
                        The \(title) bytes of a value. A string that is UTF-8 is written as text, another one and \
                        `rest.bytes` as bytes.
                        """,
                    options: binaryWriting.descriptions
                ) { call in
                    var isBinary = false
                    try call.options(2).read(binaryWriting, into: &isBinary)
                    if let box = call.lua.object(call.slot(1), as: ScriptBytes.self) {
                        var builder = Tree.Builder()
                        builder.string(utf8: box.bytes)
                        call.lua.push(bytes: try format.encode(builder.finish(), binary: true))
                        return .one
                    }
                    return try pushText(of: call, as: title) { tree, stop throws(FormatError) in
                        try format.encode(tree, binary: isBinary, stop: stop)
                    }
                },
            ])
    }
}

extension BinaryFormat.Options {
    static let fields: [ScriptOption<BinaryFormat.Options>] = [
        .flag("sequence", default: "false", "Gives a list of all values that follow each other.") {
            $0.sequence = $1
        },
        .depth("Lists and tables inside each other.") { $0.limits.depth = $1 },
    ]

    static let schema = ScriptSchema(fields)
}

private let binaryWriting = ScriptSchema<Bool>([
    .flag("binary", default: "false", "Writes all strings but keys as bytes.") { $0 = $1 }
])
