/// Content types by a file's extension.
package enum FileContentType {
    package static let json = "application/json"
    package static let unknown = "application/octet-stream"

    package static func of(_ name: String) -> String {
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
