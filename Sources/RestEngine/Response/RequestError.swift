/// Any failure of a request (rules 20). It always has a message for people; status, body and cause are
/// present when they apply, in any combination.
public struct RequestError: Error, Sendable {
    /// The message for people; the engine never leaves it empty (20.2).
    public var userMessage: String
    /// Nil when no response arrived.
    public var httpStatusCode: Int?
    /// The body that came with the failure, or that could not be parsed (D12).
    public var entity: Entity?
    /// Nil if the status is explanation enough.
    public var cause: Cause?
    /// The error that a block, mutator, decorator, transformer, operation or model of a Swift program threw,
    /// unchanged: `error.underlying as? MyError`. Nil if the engine found the fault itself.
    public var underlying: (any Error)?
    /// The time of the failure, in Unix seconds.
    public var timestamp: Double
    /// The URL of the failed request, after redirects; nil before there was one.
    public var url: String?
    /// The method of the request, if there is one.
    public var method: String?
    /// Nil for the first attempt of a request that was not sent.
    private var attemptList: AttemptList?
    /// The source line where a script requested something impossible, `file:line`; a cause that is a script's
    /// failure has a location of its own.
    package var place: ScriptLocation?

    /// The message is the first of these that exists: the given one, the cause's own, the text of the status,
    /// "Request failed" (20.2). `timestamp` is in Unix seconds, by default now.
    public init(
        userMessage: String? = nil, httpStatusCode: Int? = nil, entity: Entity? = nil, cause: Cause? = nil,
        timestamp: Double? = nil, url: String? = nil, method: String? = nil, attempt: Int = 1
    ) {
        self.userMessage =
            userMessage ?? cause?.ownMessage ?? httpStatusCode.map(StatusText.text(for:)) ?? "Request failed"
        self.httpStatusCode = httpStatusCode
        self.entity = entity
        self.cause = cause
        self.timestamp = timestamp ?? InternetTime.now
        self.url = url
        self.method = method
        if attempt > 1 { attemptList = AttemptList(number: attempt, records: []) }
    }

    /// The attempt of the request that failed, from 1; repeats continue the count (rule 40.2).
    public var attempt: Int {
        get { attemptList?.number ?? 1 }
        set { notify(number: newValue, attempts) }
    }

    /// The messages that the request sent, with their results; the last one failed. Empty if none was sent.
    public var attempts: [RequestAttempt] { attemptList?.records ?? [] }

    mutating func notify(number: Int, _ records: [RequestAttempt]) {
        attemptList =
            number == 1 && records.isEmpty ? nil : AttemptList(number: number, records: records)
    }

    /// The line of the script that failed, or that requested something impossible.
    package var scriptLocation: ScriptLocation? {
        switch cause {
        case .scriptError(let failure), .scriptLimit(_, _, _, let failure):
            if let file = failure.file { return ScriptLocation(file: file, line: failure.line ?? 0) }
        default: break
        }
        return place
    }

    /// Whether the request was cancelled, or the task that waited for it (7.11).
    public var isCancellation: Bool { if case .requestCancelled? = cause { true } else { false } }

    /// The name of the failure, from a bounded set, for labels of metrics.
    public var code: String {
        if let cause { return cause.code }
        return httpStatusCode.map { "http_\($0 / 100)xx" } ?? "unknown"
    }
}

/// A line of a script.
package struct ScriptLocation: Sendable, Equatable, CustomStringConvertible {
    /// The file as the script was named.
    package let file: String
    /// The line, counted from 1.
    package let line: Int

    package init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// Reads `file:line`; nil for other text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let line = Int(text[text.index(after: colon)...])
        else { return nil }
        self.init(file: String(text[..<colon]), line: line)
    }

    package var description: String { "\(file):\(line)" }
}

extension RequestError {
    /// The server's own explanation of a refusal, if the body contains a sentence: a JSON string under one of
    /// the names that APIs use for it, or the first line of plain text. It is one line, cut if it is long;
    /// secrets of URLs in it are masked. Nil without such a sentence.
    package var sentenceOfServer: String? {
        guard let entity else { return nil }
        var sentence: String?
        switch entity.content {
        case .json(let tree), .value(let tree):
            // Larger trees are content, and too expensive to search each time that a log line is written.
            if tree.byteCount <= 64 << 10 { sentence = Self.sentence(in: tree, depth: 0) }
        case .text(let text) where MediaType(entity.contentType).essence == "text/plain":
            let lines = text.prefix(1000).split(whereSeparator: \.isNewline)
            sentence = lines.lazy.map(String.init).first { !$0.isBlank }
        case .text, .bytes, .image, .native: break
        }
        guard let sentence, !sentence.isBlank else { return nil }
        // Masked before it is cut, because the beginning of a secret would not be known as one.
        let masked = SecretMask.standard.line(String(sentence.prefix(Self.mostMasked)))
        let words = masked.prefix(Self.longestSentence + 1).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        return words.count > Self.longestSentence ? "\(words.prefix(Self.longestSentence - 1))…" : words
    }

    /// The characters of a sentence that are searched for secrets.
    private static let mostMasked = 4096

    /// In characters.
    private static let longestSentence = 200

    /// RFC 9457 3.1 (`detail`, `title`), RFC 6749 5.2 (`error_description`, `error`), and common names. The
    /// first name with a value counts.
    private static let names = [
        "detail", "message", "error_description", "error", "errors", "msg", "reason", "title",
    ]

    private static func sentence(in tree: Tree, depth: Int) -> String? {
        if let string = tree.string { return depth > 0 && !string.isBlank ? string : nil }
        // Deep enough for `{"errors": [{"detail": [{"msg": …}]}]}`.
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

extension RequestError {
    /// The error of a request whose block, mutator, decorator or transformer threw: a ``RequestError``
    /// unchanged (rule 17.7), any other error as the cause of a new one.
    package init(
        thrown error: any Error, userMessage: String? = nil, entity: Entity? = nil,
        httpStatusCode: Int? = nil,
        timestamp: Double = InternetTime.now, url: String? = nil, method: String? = nil
    ) {
        if var known = error as? RequestError {
            known.url = known.url ?? url
            known.method = known.method ?? method
            self = known
            return
        }
        let cause: Cause =
            switch error {
            case let cause as CauseError: cause.cause
            case let failure as CodingError: .undecodableContent(failure)
            case is DecodingError: .undecodableContent(CodingError(error, type: "content"))
            default: .internal(message: "\(error)")
            }
        self.init(
            userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
            timestamp: timestamp, url: url, method: method)
        switch error {
        case is CauseError: break
        case let failure as CodingError: underlying = failure.underlying ?? failure
        default: underlying = error
        }
    }

    /// Throw this error to set the cause; the engine fills in the rest.
    package struct CauseError: Error, Sendable, CustomStringConvertible {
        /// The cause that the error will have.
        package let cause: Cause

        package init(_ cause: Cause) { self.cause = cause }

        package var description: String { cause.detail ?? cause.userMessage }
    }
}
