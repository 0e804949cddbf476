import Platform
import RestEngine

/// Reads the heads of HTTP/1.1 requests (RFC 9112), line by line, from bytes that grow at their end.
///
/// Strict where leniency lets two readers disagree about where a request ends: bare CR or LF, folded fields,
/// blanks before the colon, two lengths. The outcome does not depend on how the bytes were split.
struct RequestParser {
    enum Step {
        case needMore
        /// All offsets count from the first byte that was given.
        case head(RequestHead)
        case fault(RequestFault)
    }

    let limits: GatewayLimits
    private var head = RequestHead()
    private var scanned = 0
    private var lineStart = 0
    /// Where the request line begins: empty lines before it are skipped (RFC 9112 2.2).
    private var origin = 0
    private var haveRequestLine = false
    private var fieldCount = 0
    /// Of empty lines before a request: some clients send one behind a body, nobody sends many.
    private static let maxEmptyBytes = 16

    init(limits: GatewayLimits) { self.limits = limits }

    /// `bytes` begins where the last head ended and holds everything since. After a head or a fault the next
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
            // No line with a bare CR is one without a fault.
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

    /// Another protocol's greeting, TLS for example, may never send a line end.
    private func startFault(_ bytes: UnsafeRawBufferPointer) -> RequestFault? {
        guard !haveRequestLine, lineStart < bytes.count else { return nil }
        let first = bytes[lineStart]
        return HTTPByte.isToken(first) || first == .carriageReturn ? nil : .badRequestLine
    }

    /// The outcome must not depend on how the bytes were split, so a bare CR within the limit comes first.
    private func sizeFault(_ bytes: UnsafeRawBufferPointer, end: Int) -> RequestFault? {
        // The 64 bytes are for method and version.
        let most = haveRequestLine ? origin + limits.maxHeaderBytes : lineStart + limits.maxTargetBytes + 64
        guard end > most else { return nil }
        return bareReturn(bytes, from: lineStart, end: most)
            ?? (haveRequestLine ? .headTooLarge : .targetTooLong)
    }

    /// RFC 9112 2.2: a CR that no LF follows is told of at once, for there may be clients that end their
    /// lines with it and then wait.
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

/// Why bytes are not a request that this gateway reads. The connection can't go on after one.
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
        case .tunnel: "this server makes no tunnels (CONNECT)"
        case .badVersion: "this server speaks HTTP/1.1"
        case .badField: "a header field is malformed"
        case .foldedField: "a header field is folded over several lines"
        case .noHost: "the Host header is missing"
        case .severalHosts: "there is more than one Host header"
        case .badContentLength: "Content-Length is not one number"
        case .badChunk: "the body is not made of chunks as RFC 9112 7.1 has them"
        case .ambiguousLength: "the length of the body is ambiguous"
        case .unknownTransferCoding: "the only transfer coding understood is chunked"
        case .unknownExpectation: "the only expectation understood is 100-continue"
        case .targetTooLong: "the request target is too long"
        case .headTooLarge: "the header fields are too large, or too many"
        case .bodyTooLarge: "the body is longer than this gateway takes"
        }
    }

    /// A bounded name, for programs.
    var code: String {
        switch self {
        case .targetTooLong: "target_too_long"
        case .headTooLarge: "head_too_large"
        case .bodyTooLarge: "body_too_large"
        default: "bad_request"
        }
    }
}
