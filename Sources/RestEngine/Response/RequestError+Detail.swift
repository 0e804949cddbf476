extension RequestError.Cause {
    /// Details that the message for people leaves out; secrets of URLs in it are masked.
    public var detail: String? {
        switch self {
        case .invalidURL(let source): Self.detail(ofURL: source)
        case .unencodableText(let encoding, _): "the text can't be written in \(encoding)"
        case .invalidJSONObject(let message): message
        case .notURLEncodable(let string): "'\(string)' can't be written in a form"
        case .invalidRequestMethod(let method): "'\(method)' is not a method"
        case .invalidDefinition(let error): SecretMask.standard.line(error.message)
        case .invalidHeader(let message): message
        case .requestCancelled: nil
        case .noLocalDataFor304: "the server answered 304 (not modified), but there is no local data"
        case .invalidTextEncoding(let name): "unknown charset '\(name)'"
        case .undecodableText(let encoding): "the body is not \(encoding)"
        case .jsonNotObjectOrArray(let actual): "JSON \(actual) where an object or array is expected"
        case .malformedJSON(let offset, let message): "malformed JSON at byte \(offset): \(message)"
        case .malformedContent(let error): error.description
        case .unparsableImage: "not a PNG, JPEG, GIF, WebP or BMP image"
        case .schemaMismatch(_, let message): SecretMask.standard.line(message)
        case .wrongInputType(let expected, let actual, let transformer):
            "\(transformer) expects \(expected), got \(actual)"
        case .wrongOutputType(let expected, let actual, let transformer):
            "\(transformer) returned \(actual), but its 'output' is \(expected)"
        case .transformerReturnedNil(let transformer): "\(transformer) returned nil"
        case .undecodableContent(let failure): failure.description
        case .scriptError(let failure): SecretMask.standard.line(failure.description)
        case .scriptLimit(_, _, _, let failure): failure.description
        case .tooManyRedirects(let limit): "followed \(limit)"
        case .transport(let error): error.description
        case .unreadableFile(let failure), .unwritableFile(let failure): failure.description
        case .internal(let message): message
        case .custom(_, let fields): Self.detail(of: fields)
        }
    }

    static func detail(ofURL source: String?) -> String {
        guard let source else { return "there is no URL" }
        let shown = SecretMask.standard.url(source)
        guard let url = URLText(source) else {
            return "'\(shown)' is not a URL" + (URLText.adviceOnHost(of: source).map { ": \($0)" } ?? "")
        }
        if url.isHTTP {
            // The text as it was written: a `%` in a path has become `%25`.
            return url.hasDotSegment
                ? "'\(shown.replacing("%25", with: "%"))' has a segment '.' or '..' in its path, which would lead to another path"
                : "'\(shown)' leads out of the resource or the base URL that it must be below"
        }
        guard url.scheme == "http" || url.scheme == "https" else {
            return "'\(shown)' does not begin with http:// or https://"
        }
        return URLText.adviceOnHost(of: source).map { "'\(shown)' can't be requested: \($0)" }
            ?? "'\(shown)' has no host"
    }

    /// The messages of a script's own cause and of the causes inside it, outermost first (D34).
    private static func detail(of fields: Tree) -> String? {
        var messages: [String] = []
        var next: Tree? = fields
        // Deeper causes would not be read.
        for _ in 0..<8 {
            guard let cause = next else { break }
            let message = cause.string ?? (cause.kind == .object ? cause["message"]?.string : nil)
            if let message, !message.isEmpty, messages.last != message { messages.append(message) }
            next = cause.kind == .object ? cause["cause"] : nil
        }
        return messages.isEmpty ? nil : SecretMask.standard.line(messages.joined(separator: ": "))
    }

    /// The same refusal, for the target of a redirect.
    func ofRedirect(_ status: Int, from url: String) -> RequestError.Cause {
        guard case .scriptError(var failure) = self else { return self }
        failure.message =
            "a redirect (\(StatusPhrase.line(status))) from \(url) leads there, and \(failure.message)"
        return .scriptError(failure)
    }

    /// Whether the script itself failed, and not its request.
    package var isFaultOfScript: Bool {
        switch self {
        case .scriptError, .scriptLimit: true
        default: false
        }
    }
}

extension RequestError: CustomStringConvertible {
    /// One line: `GET https://…: Not found (404)`, followed by the details of the cause. Secrets of the URL
    /// are masked.
    public var description: String {
        var text = ""
        if let url { text += "\(method ?? "GET") \(SecretMask.standard.url(url)): " }
        let headline = headline
        text += headline
        if let httpStatusCode { text += " (\(shown(httpStatusCode, behind: headline)))" }
        text += detail(behind: headline)
        if let place { text += " (\(place))" }
        if attempt > 1 { text += " (attempt \(attempt))" }
        return SecretMask.standard.line(text.onOneLine)
    }

    /// The fault and its location, without the request: for readers who know the request.
    public var reason: String {
        guard let detail = cause?.detail else { return SecretMask.standard.line(userMessage.onOneLine) }
        return SecretMask.standard.line((detail + advice).onOneLine)
    }

    /// Names a fault of the script as such, instead of 17.7's message for people (D34).
    private var headline: String {
        guard let cause, cause.isFaultOfScript, userMessage == Self.unparsableMessage else {
            return userMessage
        }
        return cause.userMessage
    }

    /// The status with its phrase, unless the headline is the text of that status.
    private func shown(_ status: Int, behind headline: String) -> String {
        headline == StatusText.own(status) ? "\(status)" : StatusPhrase.line(status)
    }

    /// The details with a separator; empty if the headline contains them.
    private func detail(behind headline: String) -> String {
        if case .scriptError(let failure)? = cause, failure.message == headline {
            return failure.file.map { " (\($0):\(failure.line ?? 0))" } ?? ""
        }
        guard let cause else {
            // A status alone does not explain what was wrong with the request.
            guard let said = sentenceOfServer, !headline.lowercased().contains(said.lowercased()) else {
                return ""
            }
            return ": " + said
        }
        guard let detail = cause.detail, !headline.contains(detail) else { return "" }
        let goesOn = [":", " ("].contains { detail.hasPrefix(headline + $0) }
        return (goesOn ? String(detail.dropFirst(headline.count)) : ": " + detail) + advice
    }

    private var advice: String {
        switch cause {
        // The transformer gave no reason: a missing `return` is likely.
        case .transformerReturnedNil? where userMessage == Self.unparsableMessage:
            return ": is a 'return' missing in it?"
        case .wrongInputType("text", "bytes", _)?, .wrongInputType("json", "bytes", _)?,
            .wrongInputType("table", "bytes", _)?:
            guard let type = entity?.contentType, !type.isEmpty else { return "" }
            return
                ": nothing before it decodes \(type); add a transformer for this content type to the decoding stage"
        default: return ""
        }
    }
}

extension String {
    /// Escapes line breaks and other control characters.
    var onOneLine: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return self }
        return unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }
}
