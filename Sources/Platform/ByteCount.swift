/// A number of bytes as people read and write it: "12 bytes", "1.5 MiB", `16MiB`, `512M`, `2 GB`. A unit of
/// one letter is binary, as for programs of the system.
package struct ByteCount: Equatable {
    /// 1 TiB.
    package static let most = 1 << 40
    package let bytes: Int

    private static let units = [
        "": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kb": 1000, "mb": 1_000_000,
        "gb": 1_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
    ]

    /// Nil for text that is not a size, or a size above ``most``.
    package init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard digits.count <= 12, let number = Int(digits), let factor = Self.units[unit],
            number <= Self.most / factor
        else { return nil }
        bytes = number * factor
    }

    /// In binary units, as limits and options have them.
    package static func text(_ count: Int) -> String {
        guard count >= 1 << 10 else { return "\(max(0, count)) bytes" }
        var (unit, name) = (1 << 10, "KiB")
        for (next, nextName) in [(1 << 20, "MiB"), (1 << 30, "GiB"), (1 << 40, "TiB")] where count >= next {
            (unit, name) = (next, nextName)
        }
        let tenths = count / unit * 10 + (count % unit * 10 + unit / 2) / unit
        return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
}
