import Platform

/// A HAR that grows by one entry after the other. Until its end it is `PATH.part`, complete JSON after each
/// entry: what a crash leaves can be read. At the end it takes the place of what `PATH` had (rule 48.3).
@EngineActor
package final class HARWriter {
    /// Bytes of a file, as many as are read; see docs/limits.md, L83.
    static let mostBytes = HARReader.mostBytes

    package let path: String
    private let partPath: String
    private var descriptor: Int32
    /// Where the next entry goes, over ``end``.
    private var offset = 0
    package private(set) var entries = 0

    private static let end = Array("\n]}}\n".utf8)

    /// - Parameters:
    ///   - version: of the program, for the file's `creator`.
    ///   - digests: Whose key the file has.
    init(_ path: String, version: String, digests: CredentialDigests? = nil) throws(FileError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw FileError(path: path, reason: "it is not a regular file", action: "write")
        }
        self.path = path
        partPath = path + ".part"
        // Masked or not, it is what one program said to another.
        descriptor = open(partPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno, action: "write") }
        let creator = Tree(pairs: [("name", "resthost"), ("version", Tree(version))])
        let own = digests.map { #""_resthost":{"key":"\#(Hex.encode($0.key))"},"# } ?? ""
        try write(Array(#"{"log":{"version":"1.2","creator":\#(creator),\#(own)"entries":["#.utf8))
    }

    isolated deinit { abandon() }

    /// Ends without taking the place of anything; nothing is left of a file without entries.
    func abandon() {
        guard descriptor >= 0 else { return }
        _ = closeFile(descriptor)
        descriptor = -1
        if entries == 0 { unlink(partPath) }
    }

    /// Throws when the file can't be written, or would be larger than is read; it keeps what it has.
    package func append(_ entry: Tree) throws(FileError) {
        let json: [UInt8]
        do throws(JSONError) { json = try entry.json() } catch {
            throw FileError(path: path, reason: error.message, action: "write")
        }
        guard offset + json.count + Self.end.count + 2 <= Self.mostBytes,
            entries < HARReader.mostEntries
        else {
            throw FileError(
                path: path,
                reason:
                    "a recording has \(Self.mostBytes >> 20) MiB and \(HARReader.mostEntries) entries at most",
                action: "write")
        }
        try write(Array((entries == 0 ? "\n" : ",\n").utf8) + json)
        entries += 1
    }

    private func write(_ bytes: [UInt8]) throws(FileError) {
        guard descriptor >= 0 else { return }
        let all = bytes + Self.end
        var done = 0
        while done < all.count {
            let count = all.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, all.count - done,
                    off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(path: path, code: errno, action: "write") }
            done += count
        }
        offset += bytes.count
    }

    /// Nothing is written any more; the file is where it was to be.
    package func finish() throws(FileError) {
        guard descriptor >= 0 else { return }
        let isSynced = fsync(descriptor) == 0
        let isClosed = closeFile(descriptor)
        descriptor = -1
        guard isSynced, isClosed, rename(partPath, path) == 0 else {
            throw FileError(path: path, code: errno, action: "write")
        }
    }
}

private func closeFile(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }

/// Writes down what engines send and get, until it is finished (rules 48).
@EngineActor
package final class TrafficRecorder {
    /// Of each body, in a HAR that is to be looked at; see docs/limits.md, L84.
    package static let shownBytes = 1 << 20
    /// Of each body, in a recording that is to be replayed; L85.
    package static let replayedBytes = 16 << 20

    private let writer: HARWriter
    private let bodyLimit: Int
    private let digests: CredentialDigests?
    private var subscriptions: [EventSubscription] = []
    /// Why nothing is written any more.
    package private(set) var failure: FileError?
    /// Told of that, once.
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
        self.digests = digests
        writer = try HARWriter(path, version: version, digests: digests)
        self.bodyLimit = bodyLimit
        self.onFailure = onFailure
    }

    package var path: String { writer.path }
    package var entries: Int { writer.entries }

    /// Has what goes through this engine from now on written down.
    package func listen(to engine: Engine) {
        subscriptions.removeAll { !$0.isActive }
        subscriptions.append(
            engine.onEvent([.attempt], copying: bodyLimit) { [weak self] in self?.write($0) })
    }

    private func write(_ event: EngineEvent) {
        guard failure == nil, let entry = HAREntry(event, bodyLimit: bodyLimit, digests)
        else { return }
        do throws(FileError) { try writer.append(entry.tree) } catch {
            failure = error
            onFailure(error)
        }
    }

    /// Ends it before it has begun: what it was to record will not be.
    package func abandon() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        writer.abandon()
    }

    /// Ends the recording. Throws when it isn't complete or can't be put in its place.
    package func finish() throws(FileError) {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        try writer.finish()
        if let failure { throw failure }
    }
}
