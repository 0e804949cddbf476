/// Counts of bytes for people: "12 bytes", "1.5 MiB". Binary units, as limits and options have them.
package enum ByteCount {
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
