public import RestEngine

/// Keeps what a transport gives it.
@EngineActor
public final class PiecesReceiver: BodyReceiver {
    public private(set) var heads: [TransportResponse] = []
    public private(set) var bytes: [UInt8] = []
    /// How often it got something.
    public private(set) var calls = 0
    /// It wants no more after each piece.
    public var holds = false
    public var onPiece: (@EngineActor () -> Void)?

    public init() {}

    public func begin(_ response: TransportResponse, of transfer: any Transfer) { heads.append(response) }

    public func receive(_ bytes: [UInt8]) -> Bool {
        calls += 1
        self.bytes += bytes
        onPiece?()
        return !holds
    }
}
