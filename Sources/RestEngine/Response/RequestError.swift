/// Every failure of a request (rules 20). It always has a message for people; status, body and cause are
/// there when they apply, and do not exclude each other.
public struct RequestError: Error, Sendable {
    /// For people; never empty by itself (20.2).
    public var userMessage: String
    /// Nil when no response arrived.
    public var httpStatusCode: Int?
    /// The body that came with the failure, or that could not be parsed (D12).
    public var entity: Entity?
    /// Nil when the status says all.
    public var cause: Cause?
    /// Unix time in seconds.
    public var timestamp: Double
    /// Of the request that failed, after redirects; nil before there was one.
    public var url: String?
    /// As ``url``.
    public var method: String?
    /// Counts the attempts of one request, from 1.
    public var attempt: Int
    /// Where a script asked for what can't be done, `file:line`; a cause that is a script's failure has its own.
    public var place: SourcePlace?

    /// The message is, in this order: the one given, the cause's own, the status' text, "Request failed" (20.2).
    public init(
        userMessage: String? = nil, httpStatusCode: Int? = nil, entity: Entity? = nil, cause: Cause? = nil,
        timestamp: Double, url: String? = nil, method: String? = nil, attempt: Int = 1
    ) {
        self.userMessage =
            userMessage ?? cause?.ownMessage ?? httpStatusCode.map(StatusText.text(for:)) ?? "Request failed"
        self.httpStatusCode = httpStatusCode
        self.entity = entity
        self.cause = cause
        self.timestamp = timestamp
        self.url = url
        self.method = method
        self.attempt = attempt
    }

    /// A bounded name of what went wrong, fit for a metric's label.
    public var code: String {
        if let cause { return cause.code }
        return httpStatusCode.map { "http_\($0 / 100)xx" } ?? "unknown"
    }
}

/// A line of a script.
public struct SourcePlace: Sendable, Equatable, CustomStringConvertible {
    /// As the script was named.
    public let file: String
    /// From 1.
    public let line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// Reads `file:line`; nil for other text.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let line = Int(text[text.index(after: colon)...])
        else { return nil }
        self.init(file: String(text[..<colon]), line: line)
    }

    public var description: String { "\(file):\(line)" }
}
