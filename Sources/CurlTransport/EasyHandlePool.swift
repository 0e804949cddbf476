internal import RestEngine

/// The easy handles of one transport. They keep the options that all its requests share, so that a request
/// sets only what differs; connections are the multi handle's and outlive both.
@EngineActor
final class EasyHandlePool {
    private static let capacity = 256

    private let options: TransportOptions
    private let time: LoopTime
    // The last one back is the first one out: its memory is warm.
    private var idle: [EasyHandle] = []

    init(options: TransportOptions, time: LoopTime) {
        self.options = options
        self.time = time
    }

    func take() throws(TransportError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        return try EasyHandle(options: options, time: time)
    }

    func put(back handle: EasyHandle) {
        handle.clear()
        if idle.count < Self.capacity { idle.append(handle) }
    }
}
