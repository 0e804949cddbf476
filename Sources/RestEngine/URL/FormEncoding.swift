/// Bodies of type `application/x-www-form-urlencoded` (6.6).
public enum FormEncoding {
    /// Pairs are encoded, then sorted as text by byte, and joined with `&`.
    public static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { PercentEncoding.form($0.name) + "=" + PercentEncoding.form($0.value) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .joined(separator: "&")
    }
}
