internal import RestEngine

/// The body of a response on its way to a receiver: what libcurl has written and the receiver has not taken
/// yet. Engine loop only.
///
/// libcurl's callbacks fill it, and call no other code; the receiver is called when the pass is over.
final class BodyStream {
    let receiver: any BodyReceiver
    /// The response without its body, when its first bytes have come.
    var head: TransportResponse?
    var hasBegun = false
    private(set) var bytes: [UInt8] = []
    /// The receiver wants no more for now.
    var isHeld = false
    /// libcurl has to wait until there is room again.
    var isPaused = false

    /// Bytes that wait at most, beside one chunk; more would only come to lie here.
    private static let roomBytes = 256 << 10

    init(_ receiver: any BodyReceiver) { self.receiver = receiver }

    var isFull: Bool { bytes.count >= Self.roomBytes }

    /// The receiver has all bytes, so the end may follow.
    var isDrained: Bool { bytes.isEmpty && !isHeld }

    func append(_ part: UnsafeRawBufferPointer) { bytes.append(contentsOf: part) }

    /// Gives the receiver what there is, as long as it takes it.
    @EngineActor
    func drain(_ transfer: CurlTransfer) {
        if !hasBegun, let head {
            hasBegun = true
            receiver.begin(head, of: transfer)
        }
        while !isHeld, !bytes.isEmpty {
            let part = bytes
            bytes = []
            isHeld = !receiver.receive(part)
        }
    }
}
