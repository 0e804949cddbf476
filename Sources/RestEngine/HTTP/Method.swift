/// A request method; any token of RFC 9110 is valid (rule D25). Known methods are written in capitals, in any
/// spelling: `Method("post")` is ``post``.
///
///     resource.request(.patch)   resource.request("PURGE")   service.configure(methods: [.put]) { … }
public struct Method: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The method as it is sent. Text that is no token is kept, and a request with it fails.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = Self.normalized(rawValue) ?? rawValue }

    /// The method of that name.
    public init(_ text: String) { self.init(rawValue: text) }

    public init(stringLiteral text: String) { self.init(rawValue: text) }

    private init(known: String) { rawValue = known }

    /// RFC 9110 9.3.1.
    public static let get = Method(known: "GET")
    /// RFC 9110 9.3.2.
    public static let head = Method(known: "HEAD")
    /// RFC 9110 9.3.3.
    public static let post = Method(known: "POST")
    /// RFC 9110 9.3.4.
    public static let put = Method(known: "PUT")
    /// RFC 5789 2.
    public static let patch = Method(known: "PATCH")
    /// RFC 9110 9.3.5.
    public static let delete = Method(known: "DELETE")
    /// RFC 9110 9.3.7.
    public static let options = Method(known: "OPTIONS")

    public var description: String { rawValue }

    /// The methods that are always written in capitals.
    package static let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// The methods that `configureTransformer` covers if none are given (D10).
    public static let ofTransformers: Set<Method> = [.get, .post, .put, .patch, .delete]

    /// The method as it is sent: a known one in capitals, another token unchanged; nil if it is no token.
    package static func normalized(_ text: String) -> String? {
        if known.contains(text) { return text }
        guard isToken(text) else { return nil }
        let upper = text.uppercased()
        return known.contains(upper) ? upper : text
    }

    /// Whether the method requests no change (RFC 9110 9.2.1, and the safe methods of HTTP's extensions).
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// Whether a repeated request has the same effect as a single one (RFC 9110 9.2.2, RFC 10008 for QUERY).
    package static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY": true
        default: false
        }
    }

    /// Whether the method is idempotent, or the server can recognize a repeat (rule 41.4).
    package static func mayBeRepeated(_ method: String, _ headers: Headers) -> Bool {
        isIdempotent(method) || !(headers[IdempotencyKey.header] ?? "").isEmpty
    }

    /// Whether the text is a token (RFC 9110 5.6.2).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(HTTPByte.isToken)
    }
}

/// Identifies a request, so that a server can recognize its repeat
/// (draft-ietf-httpapi-idempotency-key-header).
package enum IdempotencyKey {
    static let header = "Idempotency-Key"

    /// A random UUID, version 4 (RFC 9562 5.4).
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        let version: UInt64 = 0x4000
        let variant: UInt64 = 0b10 << 62
        let high = generator.next() & ~0xF000 | version
        let low = generator.next() & ~(0b11 << 62) | variant
        let digits = Hex.digits(high) + Hex.digits(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// The same, from the system's random numbers.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}
