/// A number of bytes as people say it.
enum ByteCount {
    static func text(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(max(0, bytes)) bytes" }
        var value = Double(bytes)
        var unit = ""
        for next in ["kB", "MB", "GB", "TB"] where value >= 999.95 {
            value /= 1000
            unit = next
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
