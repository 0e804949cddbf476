/// The reply of a stub.
package struct StubReply: Sendable {
    /// A response, or an error instead of one.
    package var result: TransportResult
    /// The time between request and answer; for zero the answer comes in the next tick.
    package var delay: Duration {
        get { Duration(inSeconds: delaySeconds) }
        set { delaySeconds = newValue.inSeconds }
    }
    package var delaySeconds: Double
    /// Whether it waits for ``StubTransport/Stub/go()``, even if other answers of its stub don't.
    package var isHeld: Bool
    /// How a success ends after its body.
    package var ending = Ending.whole

    package enum Ending: Sendable {
        /// The end of the body.
        case whole
        /// The connection is cut.
        case failure(TransportError)
        /// The transfer does not end until it is cancelled.
        case never
    }

    package init(_ result: TransportResult, delay: Duration = .zero, isHeld: Bool = false) {
        self.result = result
        delaySeconds = delay.inSeconds
        self.isHeld = isHeld
    }

    /// A response with a body of bytes.
    package static func response(
        _ status: Int = 200, headers: Headers = Headers(), body: [UInt8] = [], delay: Duration = .zero
    ) -> StubReply {
        StubReply(.success(TransportResponse(status: status, headers: headers, body: body)), delay: delay)
    }

    /// A response with a text body, in UTF-8, and its content type.
    package static func text(
        _ status: Int = 200, _ text: String, type: String = "text/plain; charset=utf-8",
        delay: Duration = .zero
    ) -> StubReply {
        .response(
            status, headers: Headers([("Content-Type", type)]), body: Array(text.utf8), delay: delay)
    }

    /// A response with JSON text, and its content type.
    package static func json(_ status: Int = 200, _ json: String, delay: Duration = .zero) -> StubReply {
        .text(status, json, type: "application/json", delay: delay)
    }

    /// Answers with an error instead of a response.
    package static func error(_ error: TransportError, delay: Duration = .zero) -> StubReply {
        StubReply(.failure(error), delay: delay)
    }

    /// The same reply after a delay.
    package func delayed(by delay: Duration) -> StubReply { delayed(by: delay.inSeconds) }

    /// The same in seconds.
    package func delayed(by seconds: Double) -> StubReply {
        var reply = self
        reply.delaySeconds = seconds
        return reply
    }
}

/// Conditions on a request, besides method and URL, for a stub to answer it.
package struct StubCondition: Sendable {
    /// A condition on a header.
    package enum Header: Sendable, Equatable {
        /// The header has this value, as ``Headers`` joins it.
        case value(String)
        /// There is no such header.
        case absent
    }

    /// By name, in any case; other headers are ignored.
    package var headers: [String: Header]
    /// The exact bytes; nil for any body or none.
    package var body: [UInt8]?

    package init(headers: [String: Header] = [:], body: [UInt8]? = nil) {
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

extension StubTransport {
    /// One rule of a ``StubTransport``: the requests that it matches, and their reply.
    @EngineActor
    package final class Stub {
        /// The method that it matches; nil for all.
        package let method: Method?
        /// The URLs that it matches.
        package let pattern: GlobPattern
        private let condition: StubCondition
        private let reply: @EngineActor (TransportRequest) -> StubReply
        private var waiting: [StubTransfer] = []

        /// Whether its requests wait for ``go()``.
        package private(set) var isHeld: Bool
        private var isOpen = false

        /// The number of requests that wait for ``go()``.
        package var heldRequests: Int { waiting.count }

        /// The requests that it answered, in order.
        package private(set) var requests: [TransportRequest] = []

        /// The counters of its transfers.
        package var progress = TransferProgress()

        init(
            method: Method?, pattern: GlobPattern, condition: StubCondition, isHeld: Bool,
            reply: @escaping @EngineActor (TransportRequest) -> StubReply
        ) {
            self.method = method
            self.pattern = pattern
            self.condition = condition
            self.isHeld = isHeld
            self.reply = reply
        }

        /// The method and the URL, as a test wrote them.
        package var summary: String { "\(method ?? "*") \(pattern.text)" }

        /// Releases the waiting answers, and all later ones.
        package func go() {
            isHeld = false
            isOpen = true
            let ready = waiting
            waiting = []
            for transfer in ready { transfer.release() }
        }

        func matches(_ request: TransportRequest, _ url: URLText) -> Bool {
            hasAddress(of: request, url) && condition.matches(request)
        }

        /// Whether method and URL match, regardless of other conditions.
        package func hasAddress(of request: TransportRequest, _ url: URLText) -> Bool {
            (method == nil || method?.rawValue == request.method)
                && (pattern.matches(url) || pattern.matchesWhole(url))
        }

        func holds(_ reply: StubReply) -> Bool { !isOpen && (isHeld || reply.isHeld) }

        func take(_ request: TransportRequest) -> StubReply {
            requests.append(request)
            return reply(request)
        }

        /// Holds a transfer until ``go()``.
        func hold(_ transfer: StubTransfer) { waiting.append(transfer) }

        func forget(_ transfer: StubTransfer) { waiting.remove(identical: transfer) }
    }
}
