import Platform

/// A HAR file that grows by one entry at a time. Until the end it is written as `PATH.part`, which is
/// complete JSON after each entry, so it can be read after a crash. At the end it replaces the file at `PATH`
/// (rule 48.3).
final class HARWriter {
    /// The limit for the bytes of a file, the same as for reading; see docs/reference/limits.md, L83.
    static let mostBytes = HARReader.mostBytes

    private let path: String
    private let partPath: String
    private var descriptor: Int32
    /// The offset of the next entry, which overwrites ``end``.
    private var offset = 0
    private(set) var entries = 0

    /// The reason why no more is written.
    private(set) var failure: FileError?

    private static let end = Array("\n]}}\n".utf8)

    /// - Parameters:
    ///   - version: The version of the program, for the file's `creator`.
    ///   - digests: The digests whose key the file contains.
    init(_ path: String, version: String, digests: CredentialDigests? = nil) throws(FileError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw FileError(path: path, reason: "it is not a regular file", action: "write")
        }
        self.path = path
        partPath = path + ".part"
        // Even masked, the traffic is confidential.
        descriptor = open(partPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno, action: "write") }
        let creator = Tree(pairs: [("name", "resthost"), ("version", Tree(version))])
        let own = digests.map { #""_resthost":{"key":"\#(Hex.encode($0.key))"},"# } ?? ""
        try write(Array(#"{"log":{"version":"1.2","creator":\#(creator),\#(own)"entries":["#.utf8))
    }

    deinit { abandon() }

    /// Ends without replacing the file at the path; a file without entries is removed.
    func abandon() {
        guard descriptor >= 0 else { return }
        _ = closeFile(descriptor)
        descriptor = -1
        if entries == 0 { unlink(partPath) }
    }

    /// Throws if the file can't be written, or would be larger than the limit for reading. The file keeps its
    /// entries, and gets no more.
    func append(_ entry: HAREntry) throws(FileError) {
        guard failure == nil else { return }
        do throws(FileError) { try add(entry) } catch {
            failure = error
            throw error
        }
    }

    private func add(_ entry: HAREntry) throws(FileError) {
        let json: [UInt8]
        do throws(JSONError) { json = try entry.tree.json() } catch {
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

    /// Ends writing and moves the file to its path.
    func finish() throws(FileError) {
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
