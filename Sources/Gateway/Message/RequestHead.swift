/// One request's head as offsets into the bytes it was read from; nothing is copied.
struct RequestHead: Equatable {
    enum Method: Equatable {
        case get, head
        case other
    }

    var method = Method.get
    var methodRange = ByteRange()
    /// Origin form: the authority of an absolute target (RFC 9112 3.2.2) is in `host` instead.
    var target = ByteRange()
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
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
    /// Of the head, the empty line included.
    var length = 0

    var hasBody: Bool { transferEncodingCount > 0 || (contentLength ?? 0) > 0 }

    /// RFC 9112 9.3.
    var isPersistent: Bool { saysClose ? false : minorVersion == 1 || saysKeepAlive }

    /// What can only be told when all fields are read.
    func check() -> RequestFault? {
        if hostCount > 1 { return .severalHosts }
        if hostCount == 0, minorVersion == 1 { return .noHost }
        if authorizationCount > 1 { return .badField }
        if transferEncodingCount > 0 {
            // RFC 9112 6.1: both lengths, or a coding from an HTTP/1.0 client, are how requests are smuggled.
            if contentLength != nil || minorVersion == 0 { return .ambiguousLength }
            if transferEncodingCount > 1 || !isChunked { return .unknownTransferCoding }
        }
        if hasUnknownExpectation { return .unknownExpectation }
        return nil
    }
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
