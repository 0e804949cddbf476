import Dispatch
import Platform
import Synchronization

/// Records the traffic of engines until it is finished (rules 48). A queue masks and writes the entries in
/// the order of the attempts, because a body of 16 MiB must not delay other work.
@EngineActor
package final class TrafficRecorder {
    /// The limit for each body in a HAR file for inspection; see docs/reference/limits.md, L84.
    package static let shownBytes = 1 << 20
    /// The limit for each body in a recording for replay; L85.
    package static let replayedBytes = 16 << 20

    /// Bytes of bodies that wait for the queue; see docs/reference/limits.md, L290.
    nonisolated static let mostWaiting = 256 << 20

    package let path: String
    private nonisolated let writer: Mutex<HARWriter>
    private nonisolated let queue = DispatchQueue(label: "recording")
    private nonisolated let waiting = Atomic(0)
    private let bodyLimit: Int
    private let digests: CredentialDigests?
    private var subscriptions: [EventSubscription] = []
    /// Called once, with the reason why no more is written.
    private let onFailure: @EngineActor (FileError) -> Void

    /// - Parameters:
    ///   - bodyLimit: The number of bytes of a body that are stored.
    ///   - isReplayed: Whether to store digests of credentials, which are masked.
    ///   - onFailure: Called when writing has become impossible.
    package convenience init(
        _ path: String, version: String, bodyLimit: Int, isReplayed: Bool = true,
        onFailure: @escaping @EngineActor (FileError) -> Void = { _ in }
    ) throws(FileError) {
        try self.init(
            path, version: version, bodyLimit: bodyLimit, digests: isReplayed ? CredentialDigests() : nil,
            onFailure: onFailure)
    }

    init(
        _ path: String, version: String, bodyLimit: Int, digests: CredentialDigests?,
        onFailure: @escaping @EngineActor (FileError) -> Void = { _ in }
    ) throws(FileError) {
        self.path = path
        self.digests = digests
        writer = Mutex(try HARWriter(path, version: version, digests: digests))
        self.bodyLimit = bodyLimit
        self.onFailure = onFailure
    }

    /// The number of written entries; waits for those of the attempts that have ended.
    package var entries: Int {
        queue.sync {}
        return writer.withLock { $0.entries }
    }

    /// Records the traffic of this engine from now on.
    package func listen(to engine: Engine) {
        subscriptions.removeAll { !$0.isActive }
        subscriptions.append(
            engine.onEvent([.attempt], copying: bodyLimit) { [weak self] in self?.write($0) })
    }

    private func write(_ event: EngineEvent) {
        guard var entry = HAREntry(event, bodyLimit: bodyLimit, digests) else { return }
        var bytes = entry.bodyBytes
        if waiting.load(ordering: .relaxed) + bytes > Self.mostWaiting {
            // Treated like a body that is too long.
            entry.bodyLimit = 0
            bytes = 0
        }
        waiting.wrappingAdd(bytes, ordering: .relaxed)
        queue.async { [self, entry, bytes] in
            append(entry)
            waiting.wrappingSubtract(bytes, ordering: .relaxed)
        }
    }

    private nonisolated func append(_ entry: HAREntry) {
        do throws(FileError) {
            try writer.withLock { (writer) throws(FileError) in try writer.append(entry) }
        } catch {
            EngineLoop.shared.submit { self.onFailure(error) }
        }
    }

    /// Ends the recording without writing it.
    package func abandon() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        queue.sync {}
        writer.withLock { $0.abandon() }
    }

    /// Ends the recording when everything is written. Throws if the file is incomplete or can't be moved to
    /// its path.
    package func finish() throws(FileError) {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        queue.sync {}
        try writer.withLock { (writer) throws(FileError) in
            try writer.finish()
            if let failure = writer.failure { throw failure }
        }
    }
}
