public import RestEngine
import Testing

/// A transport for requests whose bodies go to receivers. The test writes the answers, piece by piece.
@EngineActor
public final class StreamTransport: Transport {
    /// One request and its answer.
    @EngineActor
    public final class Stream: Transfer {
        public let request: TransportRequest
        /// Whether the request's receiver wants bytes with their content coding.
        public nonisolated let takesCodedBody: Bool
        public let progress = TransferProgress()
        public private(set) var isCancelled = false
        public private(set) var resumptions = 0
        private var completion: (@EngineActor (TransportResult) -> Void)?
        private var head: TransportResponse?
        private var receiver: (any BodyReceiver)?
        private var onChange: (@Sendable (Bool) -> Void)?

        init(
            _ request: TransportRequest, _ completion: @escaping @EngineActor (TransportResult) -> Void
        ) {
            var kept = request
            kept.receiver = nil
            self.request = kept
            receiver = request.receiver
            takesCodedBody = request.receiver?.takesCodedBody == true
            self.completion = completion
        }

        public func cancel() {
            isCancelled = true
            completion = nil
            receiver = nil
            onChange?(false)
        }

        public func resume() {
            resumptions += 1
            onChange?(true)
        }

        /// Waits for more than `count` resumptions; false if the exchange is cancelled.
        public func goesOn(beyond count: Int) async -> Bool {
            if isCancelled || resumptions > count { return !isCancelled }
            defer { onChange = nil }
            return await waiting(for: "more than \(count) resumptions") { onChange = $0 } ?? false
        }

        public func open(
            _ status: Int = 200, type: String? = "text/event-stream", headers: [(String, String)] = []
        ) {
            var headers = Headers(headers)
            if let type { headers.set("Content-Type", type) }
            let head = TransportResponse(status: status, headers: headers)
            self.head = head
            receiver?.begin(head, of: self)
        }

        /// False if the sender has to wait.
        @discardableResult
        public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        @discardableResult
        public func send(_ bytes: [UInt8]) -> Bool { receiver?.receive(bytes) ?? false }

        public func end() { complete(.success(head ?? TransportResponse(status: 200))) }

        public func complete(_ result: TransportResult) {
            let completion = completion
            self.completion = nil
            receiver = nil
            completion?(result)
        }
    }

    public private(set) var streams: [Stream] = []

    public nonisolated init() {}

    public func send(
        _ request: TransportRequest, completion: @escaping @EngineActor (TransportResult) -> Void
    ) -> any Transfer {
        let stream = Stream(request, completion)
        streams.append(stream)
        return stream
    }

    /// Ends all open exchanges.
    public func end() {
        for stream in streams {
            stream.complete(.failure(TransportError(.connectionFailed, message: "the test is over")))
        }
    }
}
