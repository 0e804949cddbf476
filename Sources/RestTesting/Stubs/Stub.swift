public import RestEngine

extension StubbedAPI {
    /// The answers of an API to some of its requests.
    @EngineActor
    public final class Stub: CustomStringConvertible {
        private let stub: StubTransport.Stub

        /// Method and URL, as the test gave them.
        public nonisolated let description: String

        init(_ stub: StubTransport.Stub) {
            self.stub = stub
            description = stub.summary
        }

        /// The requests that it answered, or will answer, in the order in which they came.
        public var requests: [TransportRequest] { stub.requests }

        /// The number of requests that wait for ``release()``.
        public var heldRequests: Int { stub.heldRequests }

        /// Sends the replies that are held, and holds none from now on.
        public func release() { stub.go() }
    }
}

extension TransportRequest {
    /// The body as text in UTF-8; nil without a body, and for bytes that are no text.
    public var bodyText: String? { body.flatMap { String(validating: $0, as: UTF8.self) } }

    /// The body as JSON; nil without a body, and for one that is no JSON.
    public var bodyJSON: Tree? { body.flatMap { try? Tree(json: $0) } }
}
