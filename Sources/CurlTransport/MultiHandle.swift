internal import CCurl
internal import Platform
internal import RestEngine

/// Owner of the multi handle: connections, name cache and TLS sessions are in it. Of one thread.
final class MultiHandle {
    /// Connections that stay open for reuse, those in use among them. libcurl's default depends on how many
    /// transfers run, so it would close most of them at the end of a burst; and where more than this many
    /// run, each that ends would have one closed.
    static func keptConnections(of descriptors: Int) -> Int { max(256, min(4096, descriptors / 8)) }

    private var multi: UnsafeMutableRawPointer
    let sockets: SocketWatch
    private var perHost = 0
    private var total = 0
    /// Ends the current or the next ``wait(milliseconds:)``.
    let wakeUp: WakeUp

    init(usesEpoll: Bool) {
        multi = Self.make()
        sockets = SocketWatch(usesEpoll: usesEpoll)
        sockets.lead(to: multi)
        wakeUp = WakeUp(sockets.watch)
    }

    deinit {
        wakeUp.end()
        curl_multi_cleanup(multi)
    }

    private static func make() -> UnsafeMutableRawPointer {
        guard let multi = curl_multi_init() else {
            Shortage.stop("libcurl has no memory or file descriptor for transfers")
        }
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, keptConnections(of: DescriptorLimit.current))
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
        wakeUp.locked { sockets.lead(to: multi) }
        curl_multi_cleanup(old)
    }

    func add(_ handle: EasyHandle) -> CURLMcode { curl_multi_add_handle(multi, handle.easy) }

    func remove(_ handle: EasyHandle) -> CURLMcode { curl_multi_remove_handle(multi, handle.easy) }

    /// Goes on with what was added, and with what is ready.
    func perform() -> CURLMcode { ccurl_watch_perform(sockets.watch) }

    /// Waits for the network, for libcurl's own timers, or for ``wakeUp``.
    func wait(milliseconds: Int32) -> CURLMcode { ccurl_watch_wait(sockets.watch, milliseconds) }

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

/// The easy handles of one transport on one thread. They keep the options that all its requests share, so
/// that a request sets only what differs; connections are the multi handle's and outlive both.
final class EasyHandlePool {
    private static let capacity = 256

    private let options: TransportOptions
    private let time: LoopTime
    private let sockets: SocketWatch
    private let urls: ParsedURLs
    // The last one back is the first one out: its memory is warm.
    private var idle: [EasyHandle] = []

    init(options: TransportOptions, of transfers: TransferSet) {
        self.options = options
        time = transfers.time
        sockets = transfers.sockets
        urls = transfers.urls
    }

    func take() throws(TransportError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        return try EasyHandle(options: options, time: time, sockets: sockets, urls: urls)
    }

    func put(back handle: EasyHandle) {
        let isKept = handle.isAsNew && idle.count < Self.capacity
        handle.clear()
        if isKept { idle.append(handle) }
    }
}
