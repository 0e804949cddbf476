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
    /// The message asks for what is missing of the file.
    private var isGoingOn = false
    /// The message asks for a part of what the server has, which is the whole of the file.
    private var wantsPart = false
    /// Why no more is taken.
    private var fault: RequestError.Cause?
    /// Told once that there is no use in what comes; the transfer is to be ended.
    var onFault: (@EngineActor (RequestError.Cause) -> Void)?
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

    /// A message goes out, with these fields.
    func prepare(_ headers: Headers) {
        fault = nil
        isGoingOn = head != nil && headers.contains("If-Range")
        wantsPart = !isGoingOn && headers.contains("Range")
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        self.transfer = transfer
        if response.status == 206, !wantsPart {
            // Another part, put behind what is there, would make a file that nobody has (RFC 9110 15.3.7.3).
            if !goesOn(with: response) { stop(.transport(.wrongPart)) }
            return
        }
        (head, bytes) = (response, 0)
        let old = file
        do throws(FileError) {
            let file = if let old { old } else { try PartialFile(for: path) }
            self.file = file
            if old != nil { write { (file) throws(FileError) in try file.cut(to: 0) } }
        } catch { fail(error) }
    }

    private func goesOn(with response: TransportResponse) -> Bool {
        guard isGoingOn, !response.isDecoded, let part = response.contentRange, part.start == bytes else {
            return false
        }
        if let tag = response.headers["ETag"], tag != head?.headers["ETag"] { return false }
        guard let count else { return true }
        return part.end < count && part.count ?? count == count
    }

    /// Of the whole file, as its first answer says.
    private var count: Int64? {
        head.flatMap { $0.status == 206 ? nil : $0.headers["Content-Length"].flatMap { Int64($0) } }
    }

    private func fail(_ error: FileError) {
        guard failure == nil else { return }
        failure = error
        stop(.unwritableFile(error))
    }

    private func stop(_ fault: RequestError.Cause) {
        guard self.fault == nil else { return }
        self.fault = fault
        onFault?(fault)
    }

    /// The fault of the file behind the last answer of several; nil when it is whole.
    var shortfall: TransportError? {
        guard isGoingOn, failure == nil, let count, bytes != count else { return nil }
        return bytes < count ? .shortPart : .wrongPart
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        // The transfer ends, or has.
        guard fault == nil else { return false }
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
        if let failure { fail(failure) }
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
        guard failure == nil, bytes > lastResumption, head?.status == 200,
            let validator = head?.strongValidator
        else {
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
        onFault = nil
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
        onFault = nil
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
    /// The part that a 206 brings, in bytes, and of how many, where it says that (RFC 9110 14.4); nil for
    /// what is none in bytes, and for several parts.
    fileprivate var contentRange: (start: Int64, end: Int64, count: Int64?)? {
        guard let range = headers["Content-Range"],
            MediaType(headers["Content-Type"] ?? "").essence != "multipart/byteranges"
        else { return nil }
        let words = range.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, ends.count == 2, let start = Int64(ends[0]), let end = Int64(ends[1]),
            0 <= start, start <= end
        else { return nil }
        if sides[1] == "*" { return (start, end, nil) }
        return Int64(sides[1]).map { (start, end, $0) }
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

extension TransportError {
    fileprivate static let wrongPart = TransportError(
        .decodingFailed, phase: .receive, message: "the response's part is not the one that was asked for")

    fileprivate static let shortPart = TransportError(
        .connectionFailed, phase: .receive, message: "the response's part ends before the file does")
}
