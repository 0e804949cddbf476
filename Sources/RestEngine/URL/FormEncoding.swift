/// Bodies of type `application/x-www-form-urlencoded` (6.6).
public enum FormEncoding {
    /// Pairs are encoded, then sorted as text by byte unless their order is the caller's, and joined with `&`.
    public static func encode(_ pairs: [(name: String, value: String)], isOrdered: Bool = false) -> String {
        var encoded = pairs.map { PercentEncoding.form($0.name) + "=" + PercentEncoding.form($0.value) }
        if !isOrdered { encoded.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        return encoded.joined(separator: "&")
    }
}
