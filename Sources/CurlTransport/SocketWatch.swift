internal import CCurl
internal import Platform
internal import Synchronization

/// A multi handle waits in it; see ccurl_watch.h. Handles have it as long as their connections may live.
final class SocketWatch {
    let watch: OpaquePointer

    init(usesEpoll: Bool) {
        guard let watch = ccurl_watch_new(usesEpoll) else {
            Shortage.stop("there is no memory or file descriptor for transfers")
        }
        self.watch = watch
    }

    deinit { ccurl_watch_free(watch) }

    func lead(to multi: UnsafeMutableRawPointer) { ccurl_watch_lead(watch, multi) }
}

/// Ends the wait of a multi handle, from any thread.
final class WakeUp: Sendable {
    /// The watch's address, locked while it is used, so that a change of it waits; 0 for none.
    private let target: Mutex<UInt>

    init(_ watch: OpaquePointer) { target = Mutex(UInt(bitPattern: watch)) }

    /// There is nothing to wake any more.
    func end() { target.withLock { $0 = 0 } }

    /// Runs `body` while no wake-up runs.
    func locked(_ body: () -> Void) { target.withLock { _ in body() } }

    func callAsFunction() {
        target.withLock { address in
            guard let watch = OpaquePointer(bitPattern: address) else { return }
            ccurl_watch_wake(watch)
        }
    }
}
