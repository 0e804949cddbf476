import Platform
import RestEngine

/// The head of a request, as offsets into the bytes from which it was read. It copies no bytes.
struct RequestHead: Equatable {
    enum Method: Equatable {
        case get, head
        case other
    }

    var method = Method.get
    var methodRange = ByteRange()
    /// The target in origin form. The authority of an absolute target (RFC 9112 3.2.2) is in `host`.
    var target = ByteRange()
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    var minorVersion = 1
    var host: ByteRange?
    var isHostFromTarget = false
    var hostCount = 0
    var authorization: ByteRange?
    var authorizationCount = 0
    var ifNoneMatch: ByteRange?
    var hasSeveralIfNoneMatch = false
    var contentLength: Int?
    var transferEncodingCount = 0
    var isChunked = false
    var expectsContinue = false
    var hasUnknownExpectation = false
    var saysClose = false
    var saysKeepAlive = false
    var notable = NotableFields()
    var accept: ByteRange?
    var acceptEncoding: ByteRange?
    /// One of these two fields is repeated.
    var repeatsConditions = false
    /// The length of the head, the empty line included.
    var length = 0

    var hasBody: Bool { transferEncodingCount > 0 || (contentLength ?? 0) > 0 }

    /// Another request may follow on the connection (RFC 9112 9.3).
    var isPersistent: Bool { saysClose ? false : minorVersion == 1 || saysKeepAlive }

    /// Checks that need all fields.
    func check() -> RequestFault? {
        if hostCount > 1 { return .severalHosts }
        if hostCount == 0, minorVersion == 1 { return .noHost }
        if authorizationCount > 1 { return .badField }
        if transferEncodingCount > 0 {
            // RFC 9112 6.1: two lengths, or a transfer coding from an HTTP/1.0 client, can be used to smuggle
            // requests.
            if contentLength != nil || minorVersion == 0 { return .ambiguousLength }
            if transferEncodingCount > 1 || !isChunked { return .unknownTransferCoding }
        }
        if hasUnknownExpectation { return .unknownExpectation }
        return nil
    }
}

/// The fields of a head that change the answer to a read. A head without them is answered in the fastest way.
struct NotableFields: OptionSet {
    let rawValue: UInt8

    /// Any value except `*/*`.
    static let accept = NotableFields(rawValue: 1)
    static let acceptEncoding = NotableFields(rawValue: 2)
    static let range = NotableFields(rawValue: 4)
    static let cacheControl = NotableFields(rawValue: 8)
    static let ifModifiedSince = NotableFields(rawValue: 16)
    static let origin = NotableFields(rawValue: 32)
    /// X-Request-Id, which does not change the content.
    static let requestID = NotableFields(rawValue: 64)
}

/// A part of the bytes that a head was read from.
struct ByteRange: Equatable {
    var start = 0
    var count = 0

    @inline(__always)
    func bytes(in all: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: all[start..<(start + count)])
    }
}

extension RequestHead {
    /// `method SP request-target SP HTTP-version` (RFC 9112 3).
    mutating func readRequestLine(
        _ line: UnsafeRawBufferPointer, offset: Int, _ limits: GatewayLimits
    ) -> RequestFault? {
        guard let first = line.firstIndex(of: .space), first > 0,
            let last = line.lastIndex(of: .space), last > first + 1
        else { return .badRequestLine }
        for byte in line[..<first] where !HTTPByte.isToken(byte) { return .badRequestLine }
        if let fault = readVersion(UnsafeRawBufferPointer(rebasing: line[(last + 1)...])) { return fault }
        for byte in line[(first + 1)..<last] where !HTTPByte.isTarget(byte) { return .badTarget }
        if last - first - 1 > limits.maxTargetBytes { return .targetTooLong }
        methodRange = ByteRange(start: offset, count: first)
        // RFC 9113 3.4: this method only occurs in the preface of HTTP/2, and other readers would go on with
        // it.
        if first == 3, line.equals("PRI", at: 0) { return .badVersion }
        // RFC 9110 9.3.6: the bytes behind a CONNECT belong to the tunnel, so their length must not be
        // guessed.
        if first == 7, line.equals("CONNECT", at: 0) { return .tunnel }
        if first == 3, line.equals("GET", at: 0) {
            method = .get
        } else if first == 4, line.equals("HEAD", at: 0) {
            method = .head
        } else {
            method = .other
        }
        target = ByteRange(start: offset + first + 1, count: last - first - 1)
        return line[first + 1] == .slash ? nil : readSpecialTarget(line, offset: offset)
    }

    private mutating func readVersion(_ text: UnsafeRawBufferPointer) -> RequestFault? {
        guard text.count == 8, text.equals("HTTP/", at: 0), text[6] == .dot, HTTPByte.isDigit(text[5]),
            HTTPByte.isDigit(text[7])
        else { return .badRequestLine }
        guard text[5] == UInt8(ascii: "1") else { return .badVersion }
        // RFC 9110 2.5: a request with a higher minor version of 1 is answered as one of 1.1.
        minorVersion = text[7] == UInt8(ascii: "0") ? 0 : 1
        return nil
    }

    /// `http://host/path`, which every server must accept, and the `*` of OPTIONS (RFC 9112 3.2.2, 3.2.4).
    private mutating func readSpecialTarget(_ line: UnsafeRawBufferPointer, offset: Int) -> RequestFault? {
        let start = target.start - offset
        if target.count == 1, line[start] == UInt8(ascii: "*") {
            return methodRange.count == 7 && line.equals("OPTIONS", at: 0) ? nil : .badTarget
        }
        guard target.count > 7, line.equalsIgnoringCase("http://", at: start) else { return .badTarget }
        var end = start + 7
        let targetEnd = start + target.count
        while end < targetEnd, line[end] != .slash, line[end] != .question { end += 1 }
        let authority = line[(start + 7)..<end]
        guard !authority.isEmpty, authority.allSatisfy(Self.isAuthority),
            authority.count(where: { $0 == UInt8(ascii: "@") }) < 2
        else { return .badTarget }
        host = ByteRange(start: offset + start + 7, count: end - start - 7)
        isHostFromTarget = true
        target = ByteRange(start: offset + end, count: targetEnd - end)
        return nil
    }
    /// The characters of an authority: all that RFC 3986 3.2 allows in a host, in a port, and before an `@`.
    private static func isAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}

extension RequestHead {
    /// `field-name ":" OWS field-value OWS` (RFC 9112 5). Only fields that the gateway acts on are kept.
    mutating func readField(_ line: UnsafeRawBufferPointer, offset: Int) -> RequestFault? {
        if line[0] == .space || line[0] == .tab { return .foldedField }
        var colon = 0
        while colon < line.count, HTTPByte.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == .colon else { return .badField }
        var start = colon + 1
        var end = line.count
        while start < end, HTTPByte.isBlank(line[start]) { start += 1 }
        while end > start, HTTPByte.isBlank(line[end - 1]) { end -= 1 }
        for byte in line[start..<end] where !HTTPByte.isFieldValue(byte) { return .badField }
        let value = UnsafeRawBufferPointer(rebasing: line[start..<end])
        let range = ByteRange(start: offset + start, count: end - start)
        switch colon {
        case 5 where line.equalsIgnoringCase("range", at: 0): notable.insert(.range)
        case 6 where line.equalsIgnoringCase("accept", at: 0):
            if !value.isExactly("*/*") { notable.insert(.accept) }
            repeatsConditions = repeatsConditions || accept != nil
            accept = range
        case 6 where line.equalsIgnoringCase("origin", at: 0): notable.insert(.origin)
        case 15 where line.equalsIgnoringCase("accept-encoding", at: 0):
            notable.insert(.acceptEncoding)
            repeatsConditions = repeatsConditions || acceptEncoding != nil
            acceptEncoding = range
        case 12 where line.equalsIgnoringCase("x-request-id", at: 0): notable.insert(.requestID)
        case 13 where line.equalsIgnoringCase("cache-control", at: 0): notable.insert(.cacheControl)
        case 17 where line.equalsIgnoringCase("if-modified-since", at: 0): notable.insert(.ifModifiedSince)
        case 4 where line.equalsIgnoringCase("host", at: 0):
            hostCount += 1
            if !isHostFromTarget { host = range }
        case 6 where line.equalsIgnoringCase("expect", at: 0):
            if value.isExactly("100-continue") {
                expectsContinue = true
            } else {
                hasUnknownExpectation = true
            }
        case 10 where line.equalsIgnoringCase("connection", at: 0):
            value.forEachListMember { member in
                if member.isExactly("close") { saysClose = true }
                if member.isExactly("keep-alive") { saysKeepAlive = true }
            }
        case 13 where line.equalsIgnoringCase("if-none-match", at: 0):
            hasSeveralIfNoneMatch = ifNoneMatch != nil
            ifNoneMatch = range
        case 13 where line.equalsIgnoringCase("authorization", at: 0):
            authorizationCount += 1
            authorization = range
        case 14 where line.equalsIgnoringCase("content-length", at: 0):
            // RFC 9110 8.6 lets a reader accept a repeated equal value, but refusing it is safer.
            guard contentLength == nil, let length = value.decimal else { return .badContentLength }
            contentLength = length
        case 17 where line.equalsIgnoringCase("transfer-encoding", at: 0):
            transferEncodingCount += 1
            isChunked = value.isExactly("chunked")
        default: break
        }
        return nil
    }
}
