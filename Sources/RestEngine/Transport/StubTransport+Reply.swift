/// What a stub answers.
public struct StubReply: Sendable {
    /// Response or error.
    public var result: TransportResult
    /// Seconds between request and answer; without one the answer comes in the next turn.
    public var delay: Double
    /// It waits for ``StubTransport/Stub/go()``, even if other answers of its stub don't.
    public var isHeld: Bool

    public init(_ result: TransportResult, delay: Double = 0, isHeld: Bool = false) {
        self.result = result
        self.delay = delay
        self.isHeld = isHeld
    }

    /// A response with a body of bytes.
    public static func response(
        _ status: Int = 200, headers: Headers = Headers(), body: [UInt8] = [], delay: Double = 0
    ) -> StubReply {
        StubReply(.success(TransportResponse(status: status, headers: headers, body: body)), delay: delay)
    }

    /// A response with a text body, in UTF-8, and its content type.
    public static func text(
        _ status: Int = 200, _ text: String, type: String = "text/plain; charset=utf-8", delay: Double = 0
    ) -> StubReply {
        .response(
            status, headers: Headers([("Content-Type", type)]), body: Array(text.utf8), delay: delay)
    }

    /// A response with JSON text, and its content type.
    public static func json(_ status: Int = 200, _ json: String, delay: Double = 0) -> StubReply {
        .text(status, json, type: "application/json", delay: delay)
    }

    /// No response.
    public static func error(_ error: TransportError, delay: Double = 0) -> StubReply {
        StubReply(.failure(error), delay: delay)
    }

    /// The same, later.
    public func delayed(by seconds: Double) -> StubReply {
        StubReply(result, delay: seconds, isHeld: isHeld)
    }
}

/// What a request must have, beside method and URL, for a stub to answer it.
public struct StubCondition: Sendable {
    /// What a header must be.
    public enum Header: Sendable, Equatable {
        /// The value of the header, as ``Headers`` joins it.
        case value(String)
        case absent
    }

    /// By name, in any case; others don't matter.
    public var headers: [String: Header]
    /// The exact bytes; nil for any body or none.
    public var body: [UInt8]?

    public init(headers: [String: Header] = [:], body: [UInt8]? = nil) {
        self.headers = headers
        self.body = body
    }

    func matches(_ request: TransportRequest) -> Bool {
        if let body, (request.body ?? []) != body { return false }
        return headers.allSatisfy { name, wanted in
            switch wanted {
            case .value(let value): request.headers[name] == value
            case .absent: !request.headers.contains(name)
            }
        }
    }
}
