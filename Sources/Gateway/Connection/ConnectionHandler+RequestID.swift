import RestEngine

/// The IDs of requests (rules 74).
extension ConnectionHandler {
    /// The ID that the client has chosen; nil if it sent none, or if it may not choose one.
    @inline(__always)
    func chosenID(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, _ client: GatewayLoop.Client
    ) -> String? {
        head.notable.contains(.requestID) ? acceptedID(head, bytes, client) : nil
    }

    /// Trusted proxies and clients that showed credentials may choose one (74.1).
    private func acceptedID(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, _ client: GatewayLoop.Client
    ) -> String? {
        let isKnown = client.isAuthorized && !loop.rules.access.identities.isOpen
        guard isKnown || trustsPeer,
            let id = RequestFields(Array(bytes[..<head.length])).single("x-request-id"),
            RequestID.isValid(id)
        else { return nil }
        return id
    }
}

/// Makes the IDs of one event loop's requests: a random number, which is the loop's, and a count. Random
/// numbers alone would take a system call for each request.
struct RequestIDs {
    private let start = Hex.digits(UInt64.random(in: .min ... .max))
    private var count: UInt32 = 0

    mutating func next() -> String {
        count &+= 1
        return start + Hex.digits(UInt64(count), count: 8)
    }
}
