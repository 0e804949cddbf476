/// Methods of requests. Any token of RFC 9110 is one (rule D25).
public enum Method {
    /// Those that are written in capitals, however a caller spells them.
    public static let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// The methods that `configureTransformer` covers when none are named (D10).
    public static let ofTransformers: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// The method as it goes on the wire: a known one in capitals, another token as it is; nil when it is no token.
    public static func normalized(_ text: String) -> String? {
        if known.contains(text) { return text }
        guard isToken(text) else { return nil }
        let upper = text.uppercased()
        return known.contains(upper) ? upper : text
    }

    /// RFC 9110 5.6.2.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(HTTPByte.isToken)
    }
}
