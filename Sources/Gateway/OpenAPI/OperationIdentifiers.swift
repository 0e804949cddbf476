import RestEngine

/// The `operationId` of each operation: `get_users_by_login` for `GET /users/{login}`. They are lower-case
/// identifiers of any programming language, and each depends on the operation alone. Only operations that
/// would share one get a hash of their path behind it.
struct OperationIdentifiers {
    private let shared: Set<String>

    /// - Parameter operations: Method and path of each operation of the document.
    init(_ operations: [(method: String, path: String)]) {
        var seen: Set<String> = []
        shared = operations.reduce(into: []) { shared, operation in
            let text = Self.text(operation.method, operation.path)
            if !seen.insert(text).inserted { shared.insert(text) }
        }
    }

    subscript(_ method: String, _ path: String) -> String {
        let text = Self.text(method, path)
        guard shared.contains(text) else { return text }
        let hash = Array(path.utf8).withUnsafeBytes { ContentHash($0).hex }
        return "\(text)_\(hash.prefix(8))"
    }

    /// The words of a method and a path.
    private static func text(_ method: String, _ path: String) -> String {
        let words = path.replacing("{", with: "by_").utf8.split { !isOfWord($0) }
        return ([Substring(method)] + words.map { Substring($0) }).joined(separator: "_").lowercased()
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
    }
}
