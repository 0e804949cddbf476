/// The content of an entity. It is a value: changing a copy does not change the resource.
public enum Content: Sendable {
    /// A body that has not been parsed.
    case bytes([UInt8])
    /// Decoded text.
    case text(String)
    /// The JSON transformer's output.
    case json(Tree)
    /// The output of a script's transformer.
    case value(Tree)
    /// An image, with its format and size.
    case image(Image)
    /// The output of a Swift transformer; scripts and the gateway can't read it.
    case native(any Sendable)

    /// The name for scripts: `entity.content_kind`.
    package var kind: String {
        switch self {
        case .bytes: "bytes"
        case .text: "text"
        case .json: "json"
        case .value: "value"
        case .image: "image"
        case .native: "native"
        }
    }

    /// The text of a text content, or of JSON that is a single string (rule 27.1).
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

    /// Whether it is the content of a response without a body: content transformers pass it on (D30).
    package var isNoBody: Bool {
        if case .bytes(let bytes) = self { bytes.isEmpty } else { false }
    }

    /// Whether `other` is text with the same bytes: then the text is unchanged.
    package func isSameText(as other: Content) -> Bool {
        guard case .text(let text) = self, case .text(let other) = other else { return false }
        return text.utf8.elementsEqual(other.utf8)
    }

    /// The approximate size for transformers, in bytes; unknown for the output of Swift transformers.
    var size: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .text(let text): text.utf8.count
        case .json(let tree), .value(let tree): tree.byteCount
        case .image(let image): image.bytes.count
        case .native: .max
        }
    }

    /// Whether no value in it has a class of a script; see ``Tree/isClassless``.
    var isClassless: Bool {
        switch self {
        case .json(let tree), .value(let tree): tree.isClassless
        case .bytes, .text, .image, .native: true
        }
    }

    /// The name of its type, for error messages: `text`, `json`, `number`, ….
    package var typeName: String {
        if case .value(let tree) = self { tree.kind.typeName } else { kind }
    }
}

extension Content {
    /// The content for a Swift value, which ``cast(to:)`` returns again. A ``Tree`` becomes ``value(_:)``, a
    /// type that the engine doesn't know ``native(_:)``.
    public init(_ value: some Sendable) {
        self =
            switch value {
            case let content as Content: content
            case let text as String: .text(text)
            case let tree as Tree: .value(tree)
            case let image as Image: .image(image)
            // An empty array of any type could be cast.
            case let bytes as [UInt8] where type(of: value) == [UInt8].self: .bytes(bytes)
            default: .native(value)
            }
    }

    /// The content as a Swift type, if it has that type: text as `String`, bytes as `[UInt8]`, JSON and
    /// scripts' values as ``Tree``, images as ``Image``, and the output of a Swift transformer as its own
    /// type. A tree that is a number, boolean or string is also an `Int`, `Int64`, `Double`, `Bool` or
    /// `String`. No decoding takes place (rules 27.2, 27.3). An absent body is an empty `String`, `Void`, and
    /// nil for an `Optional` (D30).
    public func cast<Value>(to type: Value.Type = Value.self) -> Value? {
        switch self {
        // An empty array could be cast to an array of any type.
        case .bytes(let bytes) where [0] as [UInt8] is Value: bytes as? Value
        case .bytes(let bytes) where bytes.isEmpty: Self.nothing(as: type)
        case .bytes: nil
        case .text(let text): text as? Value
        case .image(let image): image as? Value
        case .native(let value): value as? Value
        case .json(let tree), .value(let tree): tree as? Value ?? tree.castScalar(to: type)
        }
    }

    private static func nothing<Value>(as type: Value.Type) -> Value? {
        if let optional = type as? any OptionalType.Type { return optional.nothing as? Value }
        return () as? Value ?? "" as? Value
    }

    /// The tree of JSON or of a script's value, including scalars.
    var anyTree: Tree? {
        switch self {
        case .json(let tree), .value(let tree): tree
        default: nil
        }
    }

    /// The ``typeName`` of content with that type.
    static func typeName(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Tree.Type: "json"
        case is [UInt8].Type: "bytes"
        case is Image.Type: "image"
        default: "\(type)"
        }
    }

    /// The name of its type, for messages about Swift types.
    var swiftTypeName: String {
        if isNoBody { return "no body" }
        return if case .native(let value) = self { "\(Swift.type(of: value))" } else { typeName }
    }
}

/// An `Optional` whose wrapped type is known only at run time.
private protocol OptionalType {
    static var nothing: Any { get }
}

extension Optional: OptionalType {
    fileprivate static var nothing: Any { nil as Self as Any }
}

extension Tree {
    fileprivate func castScalar<Value>(to type: Value.Type) -> Value? {
        switch kind {
        case .integer: int as? Value ?? int.flatMap(Int.init(exactly:)) as? Value ?? double as? Value
        case .double: double as? Value
        case .boolean: bool as? Value
        case .string: string as? Value
        default: nil
        }
    }
}
