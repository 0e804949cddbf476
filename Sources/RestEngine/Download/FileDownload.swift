internal import Dispatch

/// Writes the body of a response to a file, on a thread of its own. The transfer is paused while the disk is
/// slower than the network.
///
/// The file appears at its path when it is complete. If the connection is cut, the rest can be requested; see
/// ``resumption()``.
@EngineActor
final class FileDownload: BodyReceiver {
    let path: String
    /// Nil until the first bytes have to be written.
    private var file: PartialFile?
    private let queue = DispatchQueue(label: "download")
    /// Bytes of the whole file that have arrived.
    private(set) var bytes: Int64 = 0
    /// The response that the file began with.
    private(set) var head: TransportResponse?
    private var failure: FileError?
    /// The value of the caller's Range; nil until the first message, and nil inside for none. The answer is
    /// stored as the whole file.
    private var callersRange: String??
    /// The current message asks for the missing part of the file.
    private(set) var asksForRest = false
    /// It does so on the condition that the server still has the same file.
    private var isGoingOn = false
    /// The current message asks for the caller's range.
    private var wantsPart = false
    /// The reason why no more bytes are accepted.
    private var fault: RequestError.Cause?
    /// Called once when the received bytes are useless; the transfer must then be ended.
    var onFault: (@EngineActor (RequestError.Cause) -> Void)?
    /// Bytes that are not written yet.
    private var unwritten = 0
    private weak var transfer: (any Transfer)?
    private var isHeld = false
    private var whenWritten: (@EngineActor () -> Void)?
    /// The size at the last attempt to resume.
    private var lastResumption: Int64 = 0

    /// Bytes that may wait for the disk.
    private static let roomBytes = 1 << 20

    private let engine: Engine

    init(path: String, engine: Engine) {
        self.path = path
        self.engine = engine
    }

    // MARK: Receiving

    /// Called before a message with these fields is sent.
    func prepare(_ headers: Headers) {
        fault = nil
        let range = headers["Range"]
        let callersRange = callersRange ?? range
        self.callersRange = callersRange
        wantsPart = range != nil && range == callersRange
        asksForRest = range != nil && range != callersRange
        // The caller may have set If-Range too, and a redirect to another origin may have removed it.
        isGoingOn = asksForRest && headers.contains("If-Range")
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        self.transfer = transfer
        if response.status == 206, !wantsPart {
            // Another range, appended to this file, would give a file that exists nowhere (RFC 9110
            // 15.3.7.3).
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

    /// The size of the whole file, according to its first answer.
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

    /// The fault of the file after the last of several answers; nil when it is complete.
    var shortfall: TransportError? {
        guard isGoingOn, failure == nil, let count, bytes != count else { return nil }
        return bytes < count ? .shortPart : .wrongPart
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        // The transfer is about to end, or has ended.
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

    /// The fields of a request for the rest of the file, if the server still has the same file (RFC 9110
    /// 13.1.5, 14.2). Nil when the download can't be resumed, or when no bytes have arrived since the last
    /// attempt.
    func resumption() -> [(name: String, value: String)]? {
        guard failure == nil, bytes > lastResumption, head?.status == 200,
            let validator = head?.strongValidator
        else {
            return nil
        }
        lastResumption = bytes
        return [("Range", "bytes=\(bytes)-"), ("If-Range", validator)]
    }

    /// Discards the received bytes, because the server now has another file.
    func startOver() {
        head = nil
        lastResumption = .max
    }

    /// Moves the complete file to its path.
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

    /// Removes the file, which is no longer wanted or can't be completed.
    func discard() {
        onFault = nil
        whenWritten = nil
        let file = file
        self.file = nil
        // After the writes that are pending.
        queue.async { file?.discard() }
    }

    /// The content of the request's entity: `{ path = …, bytes = … }`.
    var content: Tree { Tree(pairs: [("path", Tree(path)), ("bytes", Tree(bytes))]) }
}

extension TransportResponse {
    /// The range of a 206 in bytes, and the total size where the answer states it (RFC 9110 14.4); nil for
    /// other units, and for several ranges.
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

    /// A strong entity tag, which identifies this content byte by byte (RFC 9110 8.8.3). Nil without one, or
    /// when a content coding was decoded.
    var strongValidator: String? {
        // Content-Length is removed when a coding is decoded, see headers.
        guard headers["Content-Length"] != nil, let tag = headers["ETag"], tag.count > 1, tag.hasPrefix("\"")
        else { return nil }
        return tag
    }
}

extension TransportError {
    fileprivate static let wrongPart = TransportError(
        .decodingFailed, phase: .receive, message: "the response has another range than the requested one")

    fileprivate static let shortPart = TransportError(
        .connectionFailed, phase: .receive, message: "the response's range ends before the file does")
}
