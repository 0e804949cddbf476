import LuaRuntime
import Platform
import RestEngine

/// The types of content that a content transformer takes and returns (rule 17.5).
struct ContentRules: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case any, bytes, text, json, image, table, number, boolean
        /// Tables with this metatable, which has this number in trees.
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

        /// Gives the content of a script the declared form. Strings are text and tables are values, unless
        /// the rules say otherwise.
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
    /// True when a success without a body is transformed, too, whatever `input` is (D30).
    var empty = false
    var description: String?

    init() {}
}

/// The rules as a script gives them to `rest.content_transformer` and `configure_transformer`, or in the
/// table of a module.
struct GivenRules {
    private var made = ContentRules()
    /// The indexes of class tables on the stack.
    private var inputClass: Int32?
    private var outputClass: Int32?
    /// The first given option. A transformer with rules of its own takes none.
    private(set) var first: String?

    static let fields: [ScriptOption<GivenRules>] = [
        kind("input", "The type of content that it takes, or a class table for objects of that class.") {
            given, kind, place in
            (given.made.input, given.inputClass) = (kind, place)
        },
        kind("output", "The type of content that it returns, in the same form.") { given, kind, place in
            (given.made.output, given.outputClass) = (kind, place)
        },
        .init(
            "on_mismatch", type: InputMismatch.allCases.map { "\"\($0.rawValue)\"" }.plainlyJoined(" | "),
            default: "\"error\"", "How a content is treated that `input` doesn't take."
        ) { options, given, _ in
            guard let text = try options.string("on_mismatch") else { return }
            guard let action = InputMismatch(rawValue: text) else {
                throw OptionFault(
                    "is \"error\", \"skip\" or \"skip_if_output_matches\", not \"\(text)\"")
            }
            given.made.onMismatch = action
            given.note("on_mismatch")
        },
        .flag("transform_errors", default: "false", "Transforms the bodies of errors too.") { given, flag in
            given.made.transformErrors = flag
            given.note("transform_errors")
        },
        .flag("empty", default: "false", "Transforms a success without a body too.") { given, flag in
            given.made.empty = flag
            given.note("empty")
        },
        .text("description", .description, "Its name in errors and explanations.") {
            $0.made.description = $1
        },
    ]

    /// `trees` numbers the classes.
    func rules(_ lua: Lua, _ trees: TreeExchange) -> ContentRules {
        var rules = made
        if let place = inputClass { rules.input = .classTable(trees.register(class: lua, place)) }
        if let place = outputClass { rules.output = .classTable(trees.register(class: lua, place)) }
        return rules
    }

    var description: String? { made.description }

    private mutating func note(_ name: String) { first = first ?? name }

    /// - Parameter store: Gets the index of a class table on the stack.
    private static func kind(
        _ name: String, _ sentence: String,
        _ store: @escaping @Sendable (inout GivenRules, ContentRules.Kind, Int32?) -> Void
    ) -> ScriptOption<GivenRules> {
        let words = ContentRules.Kind.names.map { "\"\($0)\"" }
        return ScriptOption<GivenRules>(
            name, type: words.plainlyJoined(" | ") + " | table", default: "\"any\"", sentence
        ) { options, given, _ in
            guard let place = options.value(name) else { return }
            given.note(name)
            guard let text = options.lua.string(place) else {
                // The table stays on the stack.
                if options.lua.type(place) == .table { return store(&given, .any, place) }
                throw OptionFault("is the name of a type or a class table")
            }
            options.lua.pop()
            guard let kind = ContentRules.Kind(name: text) else {
                throw OptionFault(
                    "can't be \"\(text)\": types are \(words.plainlyJoined(", ")), or a class table")
            }
            store(&given, kind, nil)
        }
    }
}
