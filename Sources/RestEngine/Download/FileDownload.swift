internal import Dispatch

/// The body of a response on its way into a file: written on a thread of its own, and no faster asked for
/// than the disk takes it.
///
/// The file takes its place when it is whole. What a cut connection has left of one can be gone on with:
/// ``resumption`` says how.
@EngineActor
final class FileDownload: BodyReceiver {
    let path: String
    /// Nil until there is something for it.
    private var file: PartialFile?
    private let queue = DispatchQueue(label: "download")
    /// Bytes that have come, of the whole file.
    private(set) var bytes: Int64 = 0
    /// The response that the file began with.
    private(set) var head: TransportResponse?
    private var failure: FileError?
    /// Bytes that are not written yet.
    private var unwritten = 0
    private weak var transfer: (any Transfer)?
    private var isHeld = false
    private var whenWritten: (@EngineActor () -> Void)?
    /// Where it was when it was gone on with last.
    private var lastResumption: Int64 = 0

    /// Bytes that may wait for the disk.
    private static let roomBytes = 1 << 20

    private let engine: Engine

    init(path: String, engine: Engine) {
        self.path = path
        self.engine = engine
    }

    // MARK: Receiving

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        self.transfer = transfer
        if response.status == 206, head != nil, response.contentStart == bytes { return }
        (head, bytes) = (response, 0)
        let old = file
        do throws(FileError) {
            let file = if let old { old } else { try PartialFile(for: path) }
            self.file = file
            if old != nil { write { (file) throws(FileError) in try file.cut(to: 0) } }
        } catch { failure = error }
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        guard failure == nil else { return true }
        let offset = self.bytes
        self.bytes += Int64(bytes.count)
        unwritten += bytes.count
        write(bytes.count) { (file) throws(FileError) in try file.write(bytes, at: offset) }
        isHeld = unwritten > Self.roomBytes
        return !isHeld
    }

    private func write(_ count: Int = 0, _ work: @escaping @Sendable (PartialFile) throws(FileError) -> Void)
    {
        guard let file else { return }
        engine.beginOffloadedWork()
        queue.async {
            var failure: FileError?
            do throws(FileError) { try work(file) } catch { failure = error }
            EngineLoop.shared.submit { [failure] in self.wrote(count, failure) }
        }
    }

    private func wrote(_ count: Int, _ failure: FileError?) {
        defer { engine.endOffloadedWork() }
        unwritten -= count
        if self.failure == nil { self.failure = failure }
        if isHeld, unwritten < Self.roomBytes / 2 || self.failure != nil {
            isHeld = false
            transfer?.resume()
        }
        if unwritten == 0, let done = whenWritten {
            whenWritten = nil
            done()
        }
    }

    // MARK: The end

    /// How a request for the rest is made: fields that ask for it, if it is that of the same file still
    /// (RFC 9110 13.1.5, 14.2). Nil when nothing can be gone on with, or nothing more has come since it was
    /// tried last.
    func resumption() -> [(name: String, value: String)]? {
        guard failure == nil, bytes > lastResumption, let validator = head?.strongValidator else {
            return nil
        }
        lastResumption = bytes
        return [("Range", "bytes=\(bytes)-"), ("If-Range", validator)]
    }

    /// What is there is of no use: the server has another file now.
    func startOver() {
        head = nil
        lastResumption = .max
    }

    /// Puts the whole file in its place.
    func finish(_ completion: @escaping @EngineActor (FileError?) -> Void) {
        let commit: @EngineActor () -> Void = { [self] in
            guard let file, failure == nil else { return completion(failure) }
            engine.beginOffloadedWork()
            queue.async {
                var failure: FileError?
                do throws(FileError) { try file.commit() } catch { failure = error }
                EngineLoop.shared.submit { [failure] in
                    completion(failure)
                    self.engine.endOffloadedWork()
                }
            }
        }
        if unwritten == 0 { commit() } else { whenWritten = commit }
    }

    /// Nobody wants it any more, or it won't be whole.
    func discard() {
        whenWritten = nil
        let file = file
        self.file = nil
        // Behind what is being written.
        queue.async { file?.discard() }
    }

    /// What the entity of the request has: `{ path = …, bytes = … }`.
    var content: Tree { Tree(pairs: [("path", Tree(path)), ("bytes", Tree(bytes))]) }
}

extension TransportResponse {
    /// Where the part begins that a 206 brings (RFC 9110 14.4); nil for what is none in bytes.
    var contentStart: Int64? {
        guard let range = headers["Content-Range"] else { return nil }
        let words = range.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        return words[1].split(separator: "-").first.flatMap { Int64($0) }
    }

    /// What tells this very content from any other, as it is on the wire: a strong tag (RFC 9110 8.8.3). Nil
    /// without one, or when a coding was taken off.
    var strongValidator: String? {
        // It is left out with the coding, see headers.
        guard headers["Content-Length"] != nil, let tag = headers["ETag"], tag.count > 1, tag.hasPrefix("\"")
        else { return nil }
        return tag
    }
}
