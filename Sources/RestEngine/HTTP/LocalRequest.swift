import Synchronization

/// A request to a server in this process, without a socket.
package struct LocalRequest: Sendable {
    package var method: String
    /// The path and the query.
    package var target: String
    package var headers: Headers
    package var body: [UInt8]
    /// The name of a client that the server knows; nil for one that shows what the headers have.
    package var clientName: String?
    /// The address of the client, in digits.
    package var clientAddress: String?

    package init(method: String, target: String, headers: Headers = Headers(), body: [UInt8] = []) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }
}

/// The answer to a ``LocalRequest``, as far as it has come.
package final class LocalAnswer: Sendable {
    package struct State: Sendable {
        /// Nil until the head has come.
        package var status: Int?
        package var headers = Headers()
        package var body: [UInt8] = []
        package var isEnded = false
        /// The answer was broken off.
        package var isBroken = false
        /// Reports that the client leaves.
        fileprivate var onClose: (@EngineActor @Sendable () -> Void)?
    }

    private let current = Mutex(State())

    package init() {}

    package var state: State { current.withLock { $0 } }

    package func begin(_ status: Int, _ headers: Headers) {
        current.withLock { ($0.status, $0.headers) = (status, headers) }
    }

    package func receive(_ bytes: some Sequence<UInt8> & Sendable) { current.withLock { $0.body += bytes } }

    package func end(broken: Bool = false) {
        current.withLock { state in
            guard !state.isEnded else { return }
            (state.isEnded, state.isBroken, state.onClose) = (true, broken, nil)
        }
    }

    package func onClose(_ body: @escaping @EngineActor @Sendable () -> Void) {
        current.withLock { $0.onClose = body }
    }

    /// The client leaves.
    @EngineActor
    package func close() {
        let onClose = current.withLock { $0.onClose }
        end()
        onClose?()
    }
}

/// A server in this process that answers requests without a socket, for tests of scripts.
@EngineActor
package protocol LocalServer: AnyObject {
    /// - Throws: ``LocalRequestError`` for a request that can't be sent.
    func send(_ request: LocalRequest) throws(LocalRequestError) -> LocalAnswer

    /// Does what is due at this time. Returns whether there was something to do.
    func run(uptime: Double, now: Double) -> Bool

    func stop()
}

package struct LocalRequestError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
