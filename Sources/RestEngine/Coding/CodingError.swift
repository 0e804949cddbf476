/// Thrown for a tree that does not match a Swift type, or a Swift value that has no form in a tree.
public struct CodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Name of the Swift type that was asked for, or given.
    public var type: String
    /// The location in the content: `users[3].login`; empty for the whole.
    public var path: String
    /// `expected string, got number`.
    public var message: String
    /// The error that an `init(from:)` or `encode(to:)` of the program threw, if it was none of the coders'
    /// errors.
    public var underlying: (any Error)?

    /// An error at the given path.
    public init(type: String, path: String = "", message: String) {
        self.type = type
        self.path = path
        self.message = message
    }

    /// ``underlying`` is not compared.
    public static func == (a: CodingError, b: CodingError) -> Bool {
        a.type == b.type && a.path == b.path && a.message == b.message
    }

    public var description: String { path.isEmpty ? "\(type): \(message)" : "\(path): \(message)" }
}

extension CodingError {
    /// Describes the error of a type's `init(from:)` or `encode(to:)` in one sentence.
    init(_ error: any Error, type name: String) {
        switch error {
        case let known as CodingError: self = known
        case DecodingError.keyNotFound(let key, let context):
            self.init(name, context.codingPath, "the key '\(key.stringValue)' is missing\(context.hint)")
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context),
            DecodingError.valueNotFound(_, let context):
            self.init(name, context.codingPath, context.debugDescription)
        case EncodingError.invalidValue(_, let context):
            self.init(name, context.codingPath, context.debugDescription)
        default:
            self.init(type: name, message: "\(error)")
            underlying = error
        }
    }

    private init(_ type: String, _ path: [any CodingKey], _ message: String) {
        self.init(type: type, path: Self.text(of: path), message: message)
    }

    /// `users[3].login`; a key that is no plain name in brackets and quotes.
    private static func text(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else if key.stringValue.unicodeScalars.allSatisfy({ $0.properties.isIDContinue || $0 == "-" }),
                !key.stringValue.isEmpty
            {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            } else {
                text += "['\(key.stringValue.printable)']"
            }
        }
        return text
    }
}

extension DecodingError.Context {
    /// The advice in an error's text; empty without one.
    fileprivate var hint: String { debugDescription.isEmpty ? "" : "; \(debugDescription)" }
}

/// The position of a decoder or encoder in a tree. A linked list whose parents are shared: most paths are
/// never read.
struct CodingPath: Sendable {
    private final class Node: Sendable {
        let key: any CodingKey
        let parent: Node?

        init(_ key: any CodingKey, _ parent: Node?) {
            self.key = key
            self.parent = parent
        }
    }

    private var last: Node?
    /// How many containers enclose the position.
    private(set) var depth = 0

    func appending(_ key: any CodingKey) -> CodingPath {
        var path = self
        path.last = Node(key, last)
        path.depth += 1
        return path
    }

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var node = last
        while let current = node {
            keys.append(current.key)
            node = current.parent
        }
        return keys.reversed()
    }
}

/// A key that is only a text or an index.
struct TreeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    static let parent = TreeKey(stringValue: "super")
}
