import RestEngine

/// What a content transformer takes and gives (lua-api, Transformers; siesta-semantics 17.5).
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

        /// What a script gave, in the form that was declared: its strings are text and its tables values, unless
        /// it was said otherwise.
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
}
