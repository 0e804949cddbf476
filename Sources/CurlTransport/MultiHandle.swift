internal import CCurl
internal import RestEngine
internal import Synchronization

/// Owner of the multi handle: connections, name cache and TLS sessions are in it. Of one thread.
final class MultiHandle {
    /// Connections kept for reuse. libcurl's default depends on how many transfers run, so it would close
    /// most of them at the end of a burst.
    private static let keptConnections = 256

    private var multi: UnsafeMutableRawPointer
    private var perHost = 0
    private var total = 0
    /// Ends the current or the next ``wait(milliseconds:)``.
    let wakeUp: WakeUp

    init() {
        multi = Self.make()
        wakeUp = WakeUp(multi)
    }

    deinit {
        wakeUp.lead(to: nil)
        curl_multi_cleanup(multi)
    }

    private static func make() -> UnsafeMutableRawPointer {
        guard let multi = curl_multi_init() else { fatalError("libcurl has no memory for a multi handle") }
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, keptConnections)
        return multi
    }

    func limitConnections(perHost: Int?, total: Int?) {
        self.perHost = perHost ?? self.perHost
        self.total = total ?? self.total
        applyLimits()
    }

    private func applyLimits() {
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
    }

    /// Discards the handle with its connections and makes a new one; the transfers were removed before.
    func replace() {
        let old = multi
        multi = Self.make()
        applyLimits()
        wakeUp.lead(to: multi)
        curl_multi_cleanup(old)
    }

    func add(_ handle: EasyHandle) -> CURLMcode { curl_multi_add_handle(multi, handle.easy) }

    func remove(_ handle: EasyHandle) -> CURLMcode { curl_multi_remove_handle(multi, handle.easy) }

    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl_multi_perform(multi, &running)
    }

    /// Waits for the network, for libcurl's own timers, or for ``wakeUp``.
    func wait(milliseconds: Int32) -> CURLMcode { curl_multi_poll(multi, nil, 0, milliseconds, nil) }

    /// A transfer that is over, until there are no more.
    func nextFinished() -> (handle: EasyHandle, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            var context: UnsafeMutableRawPointer?
            ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            return (
                Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue(), ccurl_message_result(message)
            )
        }
        return nil
    }

    static func error(_ code: CURLMcode) -> TransportError {
        TransportError(
            .internal,
            message: "libcurl gave up on its transfers: \(String(cString: curl_multi_strerror(code)))")
    }
}

/// Ends the wait of a multi handle (curl_multi_wakeup(3)), from any thread.
final class WakeUp: Sendable {
    /// The multi handle's address, held while it is used, so that whoever replaces it waits.
    private let target: Mutex<UInt>

    init(_ multi: UnsafeMutableRawPointer) { target = Mutex(UInt(bitPattern: multi)) }

    func lead(to multi: UnsafeMutableRawPointer?) { target.withLock { $0 = UInt(bitPattern: multi) } }

    func callAsFunction() {
        target.withLock { address in
            guard let multi = UnsafeMutableRawPointer(bitPattern: address) else { return }
            curl_multi_wakeup(multi)
        }
    }
}

/// The easy handles of one transport on one thread. They keep the options that all its requests share, so
/// that a request sets only what differs; connections are the multi handle's and outlive both.
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
