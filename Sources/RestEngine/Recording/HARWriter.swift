import Platform

/// A HAR that grows by one entry after the other. Until its end it is `PATH.part`, complete JSON after each
/// entry: what a crash leaves can be read. At the end it takes the place of what `PATH` had (rule 48.3).
final class HARWriter {
    /// Bytes of a file, as many as are read; see docs/reference/limits.md, L83.
    static let mostBytes = HARReader.mostBytes

    private let path: String
    private let partPath: String
    private var descriptor: Int32
    /// Where the next entry goes, over ``end``.
    private var offset = 0
    private(set) var entries = 0

    /// Why nothing is written any more.
    private(set) var failure: FileError?

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

    deinit { abandon() }

    /// Ends without taking the place of anything; nothing is left of a file without entries.
    func abandon() {
        guard descriptor >= 0 else { return }
        _ = closeFile(descriptor)
        descriptor = -1
        if entries == 0 { unlink(partPath) }
    }

    /// Throws when the file can't be written, or would be larger than is read; it keeps what it has, and gets
    /// no more.
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

    /// Nothing is written any more; the file is where it was to be.
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
