import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// `rest.csv`.
struct CSVBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(tables: [ModuleTable(name: "rest.csv", functions: [decode, encode, reader])])
    }

    private var decode: ModuleFunction {
        ModuleFunction(
            "decode", signature: "(text: string, options?: { ... }) -> table | nil, message",
            documentation: """
                The rows of a table (RFC 4180): tables with the values by the names of the first row, or lists. \
                A row with fewer or more fields is an error, and blank lines are no rows.
                """,
            options: Self.reading.descriptions
        ) { call in
            let text = try call.rawBytes(1, "text")
            var given = CSV.Options()
            try call.options(2).read(Self.reading, into: &given)
            given.limits = limits(depth: 3)
            return try push(call.lua) { stop throws(FormatError) in try CSV.decode(text, given, stop: stop) }
        }
    }

    private var encode: ModuleFunction {
        ModuleFunction(
            "encode", signature: "(rows: table, options?: { ... }) -> string",
            documentation: """
                The text of rows, which are lists, or tables with names. A value is a string, number or boolean; \
                `rest.null` is an empty field.
                """,
            options: Self.writing.descriptions
        ) { call in
            _ = try call.table(1, "rows")
            var given = Writing()
            try call.options(2).read(Self.writing, into: &given)
            return try pushText(of: call, as: "CSV") { tree, stop throws(FormatError) in
                try CSV.encode(tree, header: given.header, separator: given.separator, stop: stop)
            }
        }
    }

    private var reader: ModuleFunction {
        ModuleFunction(
            "reader", signature: "(options?: { ... }, fn?: function(row)) -> record_reader",
            documentation: """
                Reads a table that comes in pieces, such as those of `rest.stream`, in little memory. It calls fn \
                with each row; without fn its methods return the rows.
                """,
            options: Self.reading.descriptions
        ) { call in
            var given = CSV.Options()
            try call.options(1).read(Self.reading, into: &given)
            given.limits = limits(depth: 3)
            let reader = CSVReader(given, StopFlag(values.state.spentFlag))
            return try pushReader(
                call,
                RecordReader.Source(
                    mostBytes: given.rowBytes, read: reader.read, finish: reader.finish))
        }
    }

    /// The longest name of a column that a script gives, in bytes.
    private static let mostNameBytes = 1024

    /// Looks at the lengths alone, before any name is copied.
    private static func checkNames(_ options: OptionTable) throws {
        guard let place = try options.table("header") else { return }
        defer { options.lua.pop() }
        try options.lua.forEachPair(place) { lua in
            guard lua.type(-1) == .string, lua.rawLength(-1) > mostNameBytes else { return }
            throw OptionFault("has names of at most \(mostNameBytes) bytes")
        }
    }

    static let options: [ScriptOption<CSV.Options>] = [
        .init(
            "header", type: "boolean | string[]", default: "true",
            "Whether the first row has the names of the columns; or the names, for a table without them."
        ) { options, given, _ in
            guard let place = options.value("header") else { return }
            let flag = options.lua.boolean(place)
            options.lua.pop()
            if let flag {
                given.header = flag ? .row : .none
            } else {
                try checkNames(options)
                given.header = .names(try options.strings("header", "header") ?? [])
            }
        },
        separator { $0.separator = $1 },
        .flag("ragged", default: "false", "Allows rows with fewer or more fields.") { $0.ragged = $1 },
        .init(
            "types", type: "table",
            "The types of columns, `\"string\"`, `\"number\"`, `\"integer\"` or `\"boolean\"`, by name or number. An empty field that is no string is `rest.null`."
        ) { options, given, _ in
            guard let place = try options.table("types") else { return }
            defer { options.lua.pop() }
            try options.lua.forEachPair(place) { lua in
                let key = lua.integer(-2).map { "\($0)" } ?? lua.string(-2)
                guard let key, let name = lua.string(-1) else {
                    throw OptionFault("has names of types: { price = \"number\" }")
                }
                guard let kind = CSV.Kind(rawValue: name) else {
                    let known = CSV.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                    throw OptionFault("has the type \"\(name)\" for '\(key)', and there are \(known)")
                }
                given.types[key] = kind
            }
        },
        .bytes("max_row", default: "\"1MiB\"", "The fields of a row together.") { $0.rowBytes = $1 },
    ]

    private static let reading = ScriptSchema(options)

    private static func separator<Target>(
        _ store: @escaping @Sendable (inout Target, UInt8) -> Void
    ) -> ScriptOption<Target> {
        .text("separator", default: "\",\"", "The character between fields, such as `\";\"` or `\"\\t\"`.") {
            target, text in
            guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, !"\"\r\n".utf8.contains(byte)
            else { throw OptionFault("is one ASCII character, neither a quote nor a line break") }
            store(&target, byte)
        }
    }

    private struct Writing {
        var header: [String]?
        var separator = UInt8(ascii: ",")
    }

    private static let writing = ScriptSchema<Writing>([
        .texts(
            "header", "The columns in their order; default: those of the first row if it has names, sorted."
        ) { $0.header = $1 },
        separator { $0.separator = $1 },
    ])
}
