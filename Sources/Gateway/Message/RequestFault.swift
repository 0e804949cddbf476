/// Why bytes are not a request that this gateway reads. The connection can't go on after one.
enum RequestFault: Error, Equatable {
    case bareNewline, bareReturn, emptyLines, badRequestLine, badTarget, tunnel, badVersion, badField,
        foldedField
    case noHost, severalHosts
    case badContentLength, ambiguousLength, unknownTransferCoding, unknownExpectation
    case targetTooLong, headTooLarge

    var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLarge: 431
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
        case .ambiguousLength: "the length of the body is ambiguous"
        case .unknownTransferCoding: "the only transfer coding understood is chunked"
        case .unknownExpectation: "the only expectation understood is 100-continue"
        case .targetTooLong: "the request target is too long"
        case .headTooLarge: "the header fields are too large, or too many"
        }
    }

    /// A bounded name, for programs.
    var code: String {
        switch self {
        case .targetTooLong: "target_too_long"
        case .headTooLarge: "head_too_large"
        default: "bad_request"
        }
    }
}
