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
    var contentType = FixtureContentType.json

    init(_ source: Source, _ bytes: [UInt8], modified: Int, contentType: String = FixtureContentType.json) {
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

/// Content types by a file's extension.
enum FixtureContentType {
    static let json = "application/json"
    static let unknown = "application/octet-stream"

    static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return unknown }
        return table[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let table = [
        "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "gif": "image/gif",
        "gz": "application/gzip", "htm": "text/html; charset=utf-8", "html": "text/html; charset=utf-8",
        "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8", "json": json, "jsonl": "application/jsonl",
        "md": "text/markdown; charset=utf-8", "pdf": "application/pdf", "png": "image/png",
        "svg": "image/svg+xml", "toml": "application/toml", "txt": "text/plain; charset=utf-8",
        "wasm": "application/wasm", "webp": "image/webp", "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml", "zip": "application/zip",
    ]
}
