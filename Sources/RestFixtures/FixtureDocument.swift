import RestEngine

/// The document at a path.
struct FixtureDocument: Sendable, Equatable {
    enum Source: Sendable {
        /// A JSON file, or what was written over it.
        case document
        /// An item of the list that is the parent's document.
        case element
        /// A folder without a document of its own: its items.
        case collection
        /// A file that is not JSON.
        case file
    }

    var source: Source
    var bytes: [UInt8]
    var modified: Int
    var contentType = FileContentType.json

    init(_ source: Source, _ bytes: [UInt8], modified: Int, contentType: String = FileContentType.json) {
        self.source = source
        self.bytes = bytes
        self.modified = modified
        self.contentType = contentType
    }

    init(_ source: Source, _ value: Tree, modified: Int) {
        self.init(source, value.jsonBytes, modified: modified)
    }

    /// Fixtures may be broken on purpose; only what needs their value fails.
    func value(at path: FixturePath) throws(FixtureRefusal) -> Tree {
        do { return try Tree(json: bytes) } catch {
            throw FixtureRefusal(500, "The fixture \(path.encoded) is no JSON from offset \(error.offset)")
        }
    }
}

extension FixtureDocument {
    func methods(at path: FixturePath) -> [String] {
        var methods = ["GET", "HEAD", "OPTIONS"]
        let isList = source == .collection || (source == .document && (try? value(at: path))?.list != nil)
        if isList { methods.append("POST") }
        guard !path.isRoot else { return methods }
        if source != .file { methods.append("PUT") }
        if source == .document || source == .element { methods.append("PATCH") }
        return methods + ["DELETE"]
    }

    func allows(_ method: String, at path: FixturePath) -> Bool { methods(at: path).contains(method) }
}
