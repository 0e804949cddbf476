import LuaRuntime
import RestEngine

/// What a content transformer takes and gives (rule 17.5).
struct ContentRules: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case any, bytes, text, json, image, table, number, boolean
        /// Tables with this metatable, by its number in trees.
        case classTable(UInt32)

        static let names = ["any", "bytes", "text", "json", "image", "table", "number", "boolean"]

        init?(name: String) {
            switch name {
            case "any": self = .any
            case "bytes": self = .bytes
            case "text": self = .text
            case "json": self = .json
            case "image": self = .image
            case "table": self = .table
            case "number": self = .number
            case "boolean": self = .boolean
            default: return nil
            }
        }

        var name: String {
            if case .classTable = self { "an object of its class" } else { "\(self)" }
        }

        func accepts(_ content: Content) -> Bool {
            switch (self, content) {
            case (.any, _), (.bytes, .bytes), (.text, .text), (.json, .json), (.image, .image): true
            case (.text, .value(let tree)), (.text, .json(let tree)): tree.kind == .string
            case (.table, .json(let tree)), (.table, .value(let tree)):
                tree.kind == .array || tree.kind == .object || tree.kind == .table
            case (.number, .value(let tree)), (.number, .json(let tree)):
                tree.kind == .integer || tree.kind == .double
            case (.boolean, .value(let tree)), (.boolean, .json(let tree)): tree.kind == .boolean
            case (.classTable(let id), .value(let tree)): tree.classID == id
            default: false
            }
        }

        /// What a script gave, in the form that was declared: its strings are text and its tables values,
        /// unless it was said otherwise.
        func shape(_ content: Content) -> Content {
            switch (self, content) {
            case (.bytes, .text(let text)): .bytes(Array(text.utf8))
            case (.json, .value(let tree))
            where tree.kind == .object || tree.kind == .array:
                .json(tree.classless)
            default: content
            }
        }
    }

    var input = Kind.any
    var output = Kind.any
    var onMismatch = InputMismatch.error
    var transformErrors = false
    /// A success without a body is transformed too, whatever `input` is (D30).
    var empty = false
    var description: String?

    init() {}
}

/// The options that `rest.content_transformer`, `configure_transformer` and the tables of modules have in
/// common.
extension ContentRules {
    /// The type rules of a content transformer; `trees` number the classes.
    init(_ options: OptionTable, _ trees: TreeExchange) throws {
        input = try Self.kind(options, "input", trees)
        output = try Self.kind(options, "output", trees)
        if let text = try options.string("on_mismatch") {
            guard let action = InputMismatch(rawValue: text) else {
                throw LuaUsageError(
                    "option 'on_mismatch' is \"error\", \"skip\" or \"skip_if_output_matches\", not \"\(text)\""
                )
            }
            onMismatch = action
        }
        transformErrors = try options.boolean("transform_errors") ?? false
        empty = try options.boolean("empty") ?? false
        description = try options.text("description", .description)
    }

    private static func kind(
        _ options: OptionTable, _ key: String, _ trees: TreeExchange
    ) throws -> Kind {
        guard let place = options.value(key) else { return .any }
        defer { options.lua.pop() }
        guard let name = options.lua.string(place) else {
            if options.lua.type(place) == .table {
                return .classTable(trees.register(class: options.lua, place))
            }
            throw LuaUsageError("option '\(key)' is the name of a type or a class table")
        }
        guard let kind = Kind(name: name) else {
            throw LuaUsageError(
                "option '\(key)' can't be \"\(name)\": types are "
                    + Kind.names.map { "\"\($0)\"" }.joined(separator: ", ")
                    + ", or a class table")
        }
        return kind
    }

    /// The first of the rules that is given: a transformer that has its own takes none.
    static func given(_ options: OptionTable) -> String? {
        ["input", "output", "on_mismatch", "transform_errors", "empty"].first { options.reference($0) != nil }
    }
}
