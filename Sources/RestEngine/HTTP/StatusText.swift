/// Texts of HTTP statuses, with the first letter upper-case and the rest lower (rule D23).
package enum StatusText {
    private static let texts: [Int: String] = [
        100: "Continue", 101: "Switching protocols", 200: "No error", 201: "Created", 202: "Accepted",
        203: "Non-authoritative information", 204: "No content", 205: "Reset content", 206: "Partial content",
        300: "Multiple choices", 301: "Moved permanently", 302: "Found", 303: "See other",
        304: "Not modified",
        305: "Needs proxy", 307: "Temporarily redirected", 308: "Permanently redirected",
        400: "Bad request", 401: "Unauthorized", 402: "Payment required", 403: "Forbidden", 404: "Not found",
        405: "Method not allowed", 406: "Unacceptable", 407: "Proxy authentication required",
        408: "Request timed out", 409: "Conflict", 410: "No longer exists", 411: "Length required",
        412: "Precondition failed", 413: "Request too large", 414: "Requested url too long",
        415: "Unsupported media type", 416: "Requested range not satisfiable", 417: "Expectation failed",
        500: "Internal server error", 501: "Unimplemented", 502: "Bad gateway", 503: "Service unavailable",
        504: "Gateway timed out", 505: "Unsupported version",
    ]

    /// Nil for a status that has none of its own.
    static func own(_ status: Int) -> String? { texts[status] }

    /// The text of a status; the text of its class if the status has none.
    package static func text(for status: Int) -> String {
        if let text = texts[status] { return text }
        return switch status {
        case 100..<200: "Informational"
        case 200..<300: "Success"
        case 300..<400: "Redirected"
        case 400..<500: "Client error"
        default: "Server error"
        }
    }
}

/// The phrases of HTTP's registry for statuses (RFC 9110 15, and the IANA registry), for status lines and for
/// the titles of problems, as RFC 9457 4.2.1 requires for `about:blank`. They are separate from
/// ``StatusText``, because messages use HTTP's words, and the texts of errors those that the resource model
/// defines (rules D23).
package enum StatusPhrase {
    /// The phrase of a status; that of its class if the status is not in the list.
    package static func text(for status: Int) -> String {
        if let known = known(status) { return known }
        return switch status {
        case ..<300: "OK"
        case ..<400: "Redirection"
        case ..<500: "Client Error"
        default: "Server Error"
        }
    }

    /// A status for people: `404 Not Found`; the number alone if it is not in the list.
    package static func line(_ status: Int) -> String {
        known(status).map { "\(status) \($0)" } ?? "\(status)"
    }

    /// Nil for a status that is not in the list.
    package static func known(_ status: Int) -> String? { phrases[status] }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported",
        226: "IM Used", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
        507: "Insufficient Storage",
        508: "Loop Detected", 511: "Network Authentication Required",
    ]
}

extension TransportResponse {
    /// The status for people.
    var statusLine: String { StatusPhrase.line(status) }
}
