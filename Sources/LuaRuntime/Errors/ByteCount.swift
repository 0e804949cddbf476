/// Counts of bytes for people: "12 bytes", "1.5 MiB".
enum ByteCount {
    static func text(_ count: Int) -> String {
        guard count >= 1 << 10 else { return "\(count) bytes" }
        let (unit, name) = count >= 1 << 20 ? (1 << 20, "MiB") : (1 << 10, "KiB")
        let tenths = (count * 10 + unit / 2) / unit
        return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
}
