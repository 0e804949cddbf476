/// A request target in origin form (RFC 9112 3.2.1).
struct FixtureTarget: Equatable {
    let path: String
    /// As sent, without the question mark.
    let query: String

    init?(_ target: String) {
        guard target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : ""
    }

    /// The decoded value of a parameter; without a `=` it is empty.
    subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The same target with a parameter set; the others stay as they were sent.
    func setting(_ name: String, to value: Int) -> FixtureTarget {
        let kept = query.split(separator: "&").filter { Self.item($0).name != name }
        let items = kept.map(String.init) + ["\(name)=\(value)"]
        return FixtureTarget(path: path, query: items.joined(separator: "&"))
    }

    var text: String { query.isEmpty ? path : path + "?" + query }

    private init(path: String, query: String) {
        self.path = path
        self.query = query
    }

    private var items: [(name: String, value: String)] { query.split(separator: "&").map(Self.item) }

    private static func item(_ text: Substring) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { FixtureEscapes.decode($0, plusIsSpace: true) ?? String($0) }
        return (decoded[0], decoded.count > 1 ? decoded[1] : "")
    }
}
