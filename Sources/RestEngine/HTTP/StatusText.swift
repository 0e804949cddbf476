/// Texts of HTTP statuses, with the first letter upper-case and the rest lower (rule D23).
public enum StatusText {
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

    /// The text of a status; a class text for one that has none.
    public static func text(for status: Int) -> String {
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
