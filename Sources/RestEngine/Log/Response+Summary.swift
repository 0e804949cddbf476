extension Response {
    /// One line of what a response is, for the log (rule 26.7).
    var summary: String {
        switch self {
        case .success(let entity): entity.summary
        case .failure(let error): "\(error)"
        }
    }
}

extension Entity {
    var summary: String { "\(content.summary), \(contentType)" }
}

extension Content {
    /// Kind and size. Never the content itself: it may be large, secret, or not what its type says (26.5).
    var summary: String {
        switch self {
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .text(let text): "text of \(text.utf8.count) bytes"
        case .json(let tree), .value(let tree): "\(tree.kind) of \(tree.byteCount) bytes"
        case .image(let image): "\(image.width)×\(image.height) image"
        case .native(let value): "\(Swift.type(of: value))"
        }
    }
}
