extension RequestError {
    /// What the server itself says of its refusal, where the body says it in one sentence: a string of the JSON under one of
    /// the names that APIs use for it, or the first line of plain text. On one line, and cut when it is long; secrets of URLs
    /// in it are masked. Nil when the body has no such thing.
    var sentenceOfServer: String? {
        guard let entity else { return nil }
        var sentence: String?
        switch entity.content {
        case .json(let tree), .value(let tree):
            // What is larger is content, and no place to look for a sentence each time that somebody writes a log line.
            if tree.byteCount <= 64 << 10 { sentence = Self.sentence(in: tree, depth: 0) }
        case .text(let text) where MediaType(entity.contentType).essence == "text/plain":
            let lines = text.prefix(1000).split(whereSeparator: \.isNewline)
            sentence = lines.lazy.map(String.init).first { !$0.isBlank }
        case .text, .bytes, .image, .native: break
        }
        guard let sentence, !sentence.isBlank else { return nil }
        let words = sentence.prefix(Self.longestSentence + 1).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let shown = words.count > Self.longestSentence ? words.prefix(Self.longestSentence) + "…" : words[...]
        return SecretMask.standard.line(String(shown))
    }

    /// Characters.
    private static let longestSentence = 200

    /// RFC 9457 3.1 (`detail`, `title`), RFC 6749 5.2 (`error_description`, `error`), and what is usual. The first that has
    /// something counts.
    private static let names = [
        "detail", "message", "error_description", "error", "errors", "msg", "reason", "title",
    ]

    private static func sentence(in tree: Tree, depth: Int) -> String? {
        if let string = tree.string { return depth > 0 && !string.isBlank ? string : nil }
        // As deep as `{"errors": [{"detail": [{"msg": …}]}]}`.
        guard depth < 6 else { return nil }
        switch tree.kind {
        case .array: return tree[0].flatMap { sentence(in: $0, depth: depth + 1) }
        case .object:
            return names.lazy.compactMap { tree[$0].flatMap { sentence(in: $0, depth: depth + 1) } }.first
        default: return nil
        }
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
