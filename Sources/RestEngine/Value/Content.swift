/// The content of an entity. A value: what a reader does to its copy changes nothing in the resource.
public enum Content: Sendable {
    /// A body that nothing has interpreted.
    case bytes([UInt8])
    case text(String)
    /// What the JSON transformer made of a body.
    case json(Tree)
    /// What a script's transformer made.
    case value(Tree)
    case image(Image)
    /// What a Swift transformer made; scripts and the gateway can't see inside.
    case native(any Sendable)

    /// The name by which scripts ask: `entity.content_kind`.
    public var kind: String {
        switch self {
        case .bytes: "bytes"
        case .text: "text"
        case .json: "json"
        case .value: "value"
        case .image: "image"
        case .native: "native"
        }
    }

    /// The text of a text content, or of a lone string of JSON (rule 27.1).
    public var text: String? {
        switch self {
        case .text(let text): text
        case .json(let tree), .value(let tree): tree.string
        default: nil
        }
    }

    /// The tree of a JSON content, or of a script's value that is an array or an object.
    public var tree: Tree? {
        switch self {
        case .json(let tree): tree
        case .value(let tree) where tree.kind == .array || tree.kind == .object: tree
        default: nil
        }
    }

    /// What a response without a body has, and keeps: content transformers pass it on (D30).
    public var isNoBody: Bool {
        if case .bytes(let bytes) = self { bytes.isEmpty } else { false }
    }

    /// No value in it has a class of a script's; see ``Tree/isClassless``.
    var isClassless: Bool {
        switch self {
        case .json(let tree), .value(let tree): tree.isClassless
        case .bytes, .text, .image, .native: true
        }
    }

    /// What it is, for error messages: `text`, `json`, `number`, ….
    public var typeName: String {
        if case .value(let tree) = self { tree.kind.typeName } else { kind }
    }
}
