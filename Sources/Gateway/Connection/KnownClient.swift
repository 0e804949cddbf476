import RestEngine

/// The client that was last accepted on a connection, with the fields that it sent. A repeated request needs
/// no lookup.
final class KnownClient {
    let client: GatewayLoop.Client
    private let rules: GatewayRules.Snapshot
    private let host: [UInt8]
    private let authorization: [UInt8]
    /// It showed its token elsewhere than in `Authorization`, so the next request is looked at again.
    private let isForOneRequest: Bool

    init(
        _ client: GatewayLoop.Client, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer,
        under rules: GatewayRules.Snapshot, isForOneRequest: Bool = false
    ) {
        self.isForOneRequest = isForOneRequest
        self.client = client
        self.rules = rules
        host = head.host.map { Array($0.bytes(in: bytes)) } ?? []
        authorization = head.authorization.map { Array($0.bytes(in: bytes)) } ?? []
    }

    /// The head has the same fields, and the rules are the same. A head without Host never matches, so it is
    /// checked each time.
    @inline(__always)
    func says(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, under rules: GatewayRules.Snapshot)
        -> Bool
    {
        guard self.rules === rules, let host = head.host, host.count > 0, Self.isSame(self.host, host, bytes)
        else { return false }
        guard let shown = head.authorization else { return authorization.isEmpty && !isForOneRequest }
        return Self.isSame(authorization, shown, bytes)
    }

    @inline(__always)
    private static func isSame(_ known: [UInt8], _ range: ByteRange, _ bytes: UnsafeRawBufferPointer) -> Bool
    {
        known.withUnsafeBytes { $0.elementsEqual(range.bytes(in: bytes)) }
    }
}
