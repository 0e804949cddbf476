/// A size as people write it: `512`, `16MiB`, `2 GB`.
package struct ByteCount: Equatable {
    static let most = 1 << 40
    package let bytes: Int

    /// Nil for text that is not a size, or a size above ``most``.
    package init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let units = [
            "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000, "kib": 1 << 10, "mib": 1 << 20,
            "gib": 1 << 30,
        ]
        guard digits.count <= 12, let number = Int(digits), let factor = units[unit],
            number <= Self.most / factor
        else { return nil }
        bytes = number * factor
    }
}
