import LuaRuntime
import RestEngine

/// The bytes of a client's body, in memory or as they arrive, for one reader.
@EngineActor
final class ServedBodySource {
    enum Step {
        case bytes([UInt8])
        /// No bytes now; see ``wait(_:)``.
        case nothing
        case end
    }

    private var held: [UInt8]
    private let pipe: BodyPipe?
    private let scheduler: Scheduler
    private var waiter: (() -> Void)?
    /// Bytes that were read since the last wait.
    private var burst = 0

    /// A client that is faster than the script never lets it wait. After this many bytes other work has its
    /// turn, and the function's CPU time in one go begins anew.
    private static let mostBurst = 256 << 10

    init(_ body: ServedBody, _ scheduler: Scheduler) {
        self.scheduler = scheduler
        switch body {
        case .held(let bytes): (held, pipe) = (bytes, nil)
        case .arriving(let pipe, _):
            (held, self.pipe) = ([], pipe)
            pipe.onReadable { [weak self] in EngineLoop.shared.submit { self?.goOn() } }
        }
    }

    /// The whole body is in memory.
    var isHeld: Bool { pipe == nil }

    /// Throws if the client has left.
    func next() throws -> Step {
        guard let pipe else {
            defer { held = [] }
            return held.isEmpty ? .end : .bytes(held)
        }
        if burst >= Self.mostBurst { return .nothing }
        switch pipe.next() {
        case .bytes(let bytes):
            burst += bytes.count
            return .bytes(bytes)
        case .nothing: return .nothing
        case .end: return .end
        case .broken(let error):
            throw RequestError.ofClient(400, "incomplete_body", error.message)
        }
    }

    /// Calls `body` once when there are bytes again, or the end.
    func wait(_ body: @escaping () -> Void) {
        waiter = body
        if burst >= Self.mostBurst { scheduler.nextTick { [weak self] in self?.goOn() } }
        burst = 0
    }

    func endWait() { waiter = nil }

    private func goOn() {
        let waiter = waiter
        self.waiter = nil
        waiter?()
    }
}

extension RequestError {
    /// The client made a mistake, so the script didn't fail.
    static func ofClient(_ status: Int, _ code: String, _ message: String) -> RequestError {
        RequestError(
            httpStatusCode: status,
            cause: .custom(type: code, fields: ["message": Tree(message)]))
    }
}

extension ServedBody {
    /// The whole body. Throws if it is read as it arrives.
    func wholeBytes() throws -> [UInt8] {
        switch self {
        case .held(let bytes): return bytes
        case .arriving(_, isTooLong: true):
            throw RequestError.ofClient(
                413, "body_too_large",
                "the body is longer than limits.body, so this route can read it only with request:read() or request:parts()"
            )
        case .arriving(_, isTooLong: false):
            throw LuaUsageError(
                "the body of this route is read as it arrives: use request:read() or request:parts()")
        }
    }
}
