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
@EngineActor
package final class LocalAnswer {
    /// Nil until the head has come.
    package private(set) var status: Int?
    package private(set) var headers = Headers()
    package private(set) var body: [UInt8] = []
    package private(set) var isEnded = false
    /// The answer was broken off.
    package private(set) var isBroken = false
    /// Reports that the client leaves.
    package var onClose: (@EngineActor () -> Void)?

    package init() {}

    package func begin(_ status: Int, _ headers: Headers) { (self.status, self.headers) = (status, headers) }

    package func receive(_ bytes: some Sequence<UInt8>) { body += bytes }

    package func end(broken: Bool = false) {
        guard !isEnded else { return }
        (isEnded, isBroken, onClose) = (true, broken, nil)
    }

    package func close() {
        let onClose = onClose
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
