import RestEngine

/// Who was let in on a connection, by what it said: clients repeat themselves, and then nothing is looked up.
final class KnownClient {
    let client: GatewayLoop.Client
    private let rules: GatewayRules.Snapshot
    private let host: [UInt8]
    private let authorization: [UInt8]

    init(
        _ client: GatewayLoop.Client, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer,
        under rules: GatewayRules.Snapshot
    ) {
        self.client = client
        self.rules = rules
        host = head.host.map { Array($0.bytes(in: bytes)) } ?? []
        authorization = head.authorization.map { Array($0.bytes(in: bytes)) } ?? []
    }

    /// The head says the same as that of then, and the rules are the same. One without a host never does: it
    /// is checked each time.
    @inline(__always)
    func says(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, under rules: GatewayRules.Snapshot)
        -> Bool
    {
        guard self.rules === rules, let host = head.host, host.count > 0, Self.isSame(self.host, host, bytes)
        else { return false }
        guard let shown = head.authorization else { return authorization.isEmpty }
        return Self.isSame(authorization, shown, bytes)
    }

    @inline(__always)
    private static func isSame(_ known: [UInt8], _ range: ByteRange, _ bytes: UnsafeRawBufferPointer) -> Bool
    {
        known.withUnsafeBytes { $0.elementsEqual(range.bytes(in: bytes)) }
    }
}
