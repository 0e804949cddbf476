import NIOCore

/// The end of the gateway or of a listener.
extension ConnectionStateMachine {
    /// No request is under way.
    var isQuiet: Bool { isReading && input.readableBytes == 0 }

    /// A request came in part at least, and its answer isn't sent as a whole.
    func hasRequest(unsentBytes: Int) -> Bool {
        switch state {
        case .reading: input.readableBytes > 0 || unsentBytes > 0
        case .identifying, .waiting, .receiving, .proxying: true
        case .finishing: unsentBytes > 0
        case .streaming, .carrying, .lingering, .closed: false
        }
    }

    /// The gateway or its listener stops. True if the connection closes now. A request under way is finished.
    /// A client that was accepted and has sent no request has a moment for its first one, because no other
    /// process would answer it.
    mutating func leave(sweep: Int) -> Bool {
        guard isQuiet, writtenBytes == 0 else { return isQuiet }
        leavingSweep = sweep
        return false
    }
}
