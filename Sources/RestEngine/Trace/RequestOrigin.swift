/// The client's request on whose behalf code runs. The requests that this code begins belong to the same
/// trace, and carry the same ID (rules 59.1, 74.2).
package final class RequestOrigin: Sendable {
    /// The span of the client's request; nil if it belongs to no trace.
    package let trace: TraceContext?
    /// The ID of the client's request.
    package let id: String?

    /// The headers that go with requests of the client's partition; nil without one.
    package let client: ClientHeaders?

    /// The place in a trace of another module's tracer; nil without one.
    let place: (any TracePlace)?

    package init(trace: TraceContext? = nil, id: String? = nil, client: ClientHeaders? = nil) {
        (self.trace, self.id, self.client, place) = (trace, id, client, nil)
    }

    private init(_ other: RequestOrigin, _ place: (any TracePlace)?) {
        (trace, id, client, self.place) = (other.trace, other.id, other.client, place)
    }

    /// The same request, for work at that place.
    func at(_ place: (any TracePlace)?) -> RequestOrigin { RequestOrigin(self, place) }

    /// The same request, with work below another span.
    func below(_ trace: TraceContext) -> RequestOrigin {
        RequestOrigin(trace: trace, id: id, client: client).at(place)
    }

    /// The same request with the headers of a client; nil leaves them.
    package func with(_ client: ClientHeaders?) -> RequestOrigin {
        client == nil ? self : RequestOrigin(trace: trace, id: id, client: client).at(place)
    }
}

/// The IDs of clients' requests (rules 74).
package enum RequestID {
    /// The header that carries it.
    package static let header = "X-Request-Id"
    /// See docs/reference/limits.md, L346.
    package static let mostBytes = 128

    /// Whether the text may be taken as an ID.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        return (1...mostBytes).contains(bytes.count) && bytes.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: HTTPByte.isDigit(byte)
        }
    }
}

extension WorkScope {
    /// Runs `body` on behalf of a client's request.
    package static func serving<Result>(
        _ origin: RequestOrigin?, _ body: () throws -> Result
    ) rethrows -> Result {
        guard let origin else { return try body() }
        var scope = current
        scope.origin = origin
        return try scope.run(body)
    }

    /// The ID of the client's request on whose behalf code runs; nil outside of one.
    package static var requestID: String? { current.origin?.id }
}
