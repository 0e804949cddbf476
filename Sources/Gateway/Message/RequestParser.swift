import Platform
import RestEngine

/// Reads the heads of HTTP/1.1 requests (RFC 9112), line by line, from bytes that grow at their end.
///
/// It is strict where two lenient readers could disagree about the end of a request: a bare CR or LF, folded
/// fields, blanks before the colon, two lengths. The result doesn't depend on how the bytes were split.
struct RequestParser {
    enum Step {
        case needMore
        /// The head's offsets count from the first byte that was given.
        case head(RequestHead)
        case fault(RequestFault)
    }

    let limits: GatewayLimits
    private var head = RequestHead()
    private var scanned = 0
    private var lineStart = 0
    /// The start of the request line. Empty lines before it are skipped (RFC 9112 2.2).
    private var origin = 0
    private var haveRequestLine = false
    private var fieldCount = 0
    /// The limit for empty lines before a request. Some clients send one behind a body, and none send many.
    private static let maxEmptyBytes = 16

    init(limits: GatewayLimits) { self.limits = limits }

    /// `bytes` begins where the last head ended, and holds everything since. After a head or a fault the next
    /// call starts anew.
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> Step {
        while scanned < bytes.count {
            if let fault = startFault(bytes) { return fail(fault) }
            guard let newline = bytes.firstNewline(from: scanned) else { break }
            scanned = newline + 1
            if let fault = sizeFault(bytes, end: scanned) { return fail(fault) }
            guard newline > lineStart, bytes[newline - 1] == .carriageReturn else {
                return fail(bareReturn(bytes, from: lineStart, end: newline) ?? .bareNewline)
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<(newline - 1)])
            let start = lineStart
            lineStart = scanned
            if line.isEmpty {
                guard haveRequestLine else {
                    origin = scanned
                    if origin > Self.maxEmptyBytes { return fail(.emptyLines) }
                    continue
                }
                return finish(end: scanned)
            }
            let fault =
                haveRequestLine
                ? head.readField(line, offset: start) : head.readRequestLine(line, offset: start, limits)
            // A line with a bare CR always has a fault, so a valid line needs no search for one.
            if let fault { return fail(bareReturn(bytes, from: start, end: scanned) ?? fault) }
            if haveRequestLine { fieldCount += 1 }
            if fieldCount > limits.maxHeaderFields { return fail(.headTooLarge) }
            haveRequestLine = true
        }
        let unchecked = max(scanned - 1, lineStart)
        scanned = bytes.count
        if let fault = sizeFault(bytes, end: scanned) { return fail(fault) }
        if let fault = bareReturn(bytes, from: unchecked, end: scanned) { return fail(fault) }
        return .needMore
    }

    /// A greeting of another protocol, such as TLS, may never contain a line end, so it is recognised by its
    /// first bytes.
    private func startFault(_ bytes: UnsafeRawBufferPointer) -> RequestFault? {
        guard !haveRequestLine, lineStart < bytes.count else { return nil }
        let first = bytes[lineStart]
        return HTTPByte.isToken(first) || first == .carriageReturn ? nil : .badRequestLine
    }

    /// The result must not depend on how the bytes were split, so a bare CR within the limit is reported
    /// first.
    private func sizeFault(_ bytes: UnsafeRawBufferPointer, end: Int) -> RequestFault? {
        // 64 bytes are added for the method and the version.
        let most = haveRequestLine ? origin + limits.maxHeaderBytes : lineStart + limits.maxTargetBytes + 64
        guard end > most else { return nil }
        return bareReturn(bytes, from: lineStart, end: most)
            ?? (haveRequestLine ? .headTooLarge : .targetTooLong)
    }

    /// RFC 9112 2.2: a CR without LF is reported at once, because some clients may end their lines with it
    /// and then wait.
    private func bareReturn(_ bytes: UnsafeRawBufferPointer, from start: Int, end: Int) -> RequestFault? {
        var start = start
        while start + 1 < end, let found = bytes.firstReturn(from: start, to: end - 1) {
            if bytes[found + 1] != .newline { return .bareReturn }
            start = found + 2
        }
        return nil
    }

    private mutating func fail(_ fault: RequestFault) -> Step {
        self = RequestParser(limits: limits)
        return .fault(fault)
    }

    private mutating func finish(end: Int) -> Step {
        var finished = head
        finished.length = end
        self = RequestParser(limits: limits)
        if let fault = finished.check() { return .fault(fault) }
        return .head(finished)
    }
}

/// Reasons why bytes are not a valid request for this gateway. The connection can't go on after one.
enum RequestFault: Error, Equatable {
    case bareNewline, bareReturn, emptyLines, badRequestLine, badTarget, tunnel, badVersion, badField,
        foldedField
    case noHost, severalHosts
    case badContentLength, badChunk, ambiguousLength, unknownTransferCoding, unknownExpectation
    case targetTooLong, headTooLarge, bodyTooLarge

    var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLarge: 431
        case .bodyTooLarge: 413
        case .unknownTransferCoding, .tunnel: 501
        case .badVersion: 505
        case .unknownExpectation: 417
        default: 400
        }
    }

    var detail: String {
        switch self {
        case .bareNewline: "a line of the request does not end in CR LF"
        case .bareReturn: "a CR of the request is not followed by LF"
        case .emptyLines: "there are empty lines in place of a request"
        case .badRequestLine: "the first line is not 'METHOD target HTTP/1.1'"
        case .badTarget: "the request target is not a path, or has a byte that must be escaped"
        case .tunnel: "this server doesn't support tunnels (CONNECT)"
        case .badVersion: "this server speaks HTTP/1.1"
        case .badField: "a header field is malformed"
        case .foldedField: "a header field is folded over several lines"
        case .noHost: "the Host header is missing"
        case .severalHosts: "there is more than one Host header"
        case .badContentLength: "Content-Length is not one number"
        case .badChunk: "the body is not made of chunks as in RFC 9112 7.1"
        case .ambiguousLength: "the length of the body is ambiguous"
        case .unknownTransferCoding: "the only transfer coding understood is chunked"
        case .unknownExpectation: "the only expectation understood is 100-continue"
        case .targetTooLong: "the request target is too long"
        case .headTooLarge: "the header fields are too large, or too many"
        case .bodyTooLarge: "the body is longer than this gateway allows"
        }
    }

    /// One of a fixed set of names, for programs.
    var code: String {
        switch self {
        case .targetTooLong: "target_too_long"
        case .headTooLarge: "head_too_large"
        case .bodyTooLarge: "body_too_large"
        default: "bad_request"
        }
    }
}
