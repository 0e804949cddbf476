import Dispatch
import Platform
import Synchronization

/// Writes down what engines send and get, until it is finished (rules 48). A queue masks and writes, in the
/// order of the attempts: a body of 16 MiB must hold nobody up.
@EngineActor
package final class TrafficRecorder {
    /// Of each body, in a HAR that is to be looked at; see docs/reference/limits.md, L84.
    package static let shownBytes = 1 << 20
    /// Of each body, in a recording that is to be replayed; L85.
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
    /// Told, once, why nothing is written any more.
    private let onFailure: @EngineActor (FileError) -> Void

    /// - Parameters:
    ///   - bodyLimit: Bytes that are kept of a body.
    ///   - isReplayed: It tells credentials apart, which are masked.
    ///   - onFailure: Called when nothing can be written any more.
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

    /// Those of the attempts that have ended; it waits until they are written.
    package var entries: Int {
        queue.sync {}
        return writer.withLock { $0.entries }
    }

    /// Has what goes through this engine from now on written down.
    package func listen(to engine: Engine) {
        subscriptions.removeAll { !$0.isActive }
        subscriptions.append(
            engine.onEvent([.attempt], copying: bodyLimit) { [weak self] in self?.write($0) })
    }

    private func write(_ event: EngineEvent) {
        guard var entry = HAREntry(event, bodyLimit: bodyLimit, digests) else { return }
        var bytes = entry.bodyBytes
        if waiting.load(ordering: .relaxed) + bytes > Self.mostWaiting {
            // As a body that is too long.
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

    /// Ends it before it has begun: what it was to record will not be.
    package func abandon() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        queue.sync {}
        writer.withLock { $0.abandon() }
    }

    /// Ends the recording, when everything is written that there was to write. Throws when it isn't complete
    /// or can't be put in its place.
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
