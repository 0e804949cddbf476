public import RestEngine

/// Keeps the bytes that a transport gives it.
@EngineActor
public final class PiecesReceiver: BodyReceiver {
    public private(set) var heads: [TransportResponse] = []
    public private(set) var bytes: [UInt8] = []
    /// The number of calls.
    public private(set) var calls = 0
    /// Asks for a pause after each piece.
    public var holds = false
    public var onPiece: (@EngineActor () -> Void)?
    public nonisolated let takesCodedBody: Bool

    public init(takesCodedBody: Bool = false) { self.takesCodedBody = takesCodedBody }

    public func begin(_ response: TransportResponse, of transfer: any Transfer) { heads.append(response) }

    public func receive(_ bytes: [UInt8]) -> Bool {
        calls += 1
        self.bytes += bytes
        onPiece?()
        return !holds
    }
}
