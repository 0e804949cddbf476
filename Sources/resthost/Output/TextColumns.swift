/// Rows with columns as wide as their widest entry.
enum TextColumns {
    static func text(_ rows: [[String]], indent: String = "") -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, entry) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], entry.count)
            }
        }
        return rows.map { row in
            var line = indent
            for (column, entry) in row.enumerated() {
                line += entry
                guard column < row.count - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - entry.count + 2)
            }
            return line + "\n"
        }.joined()
    }
}

/// A duration as text for people.
enum TimeSpan {
    /// The two largest units of seconds: `4s`, `3m 5s`, `2h 3m`, `12d 1h`.
    static func text(_ seconds: Double) -> String {
        let seconds = seconds.isFinite ? Int(max(0, min(seconds, 1e12))) : 0
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return join(seconds / 60, "m", seconds % 60, "s")
        case ..<86_400: return join(seconds / 3600, "h", seconds / 60 % 60, "m")
        default: return join(seconds / 86_400, "d", seconds / 3600 % 24, "h")
        }
    }

    private static func join(_ large: Int, _ name: String, _ small: Int, _ smallName: String) -> String {
        small == 0 ? "\(large)\(name)" : "\(large)\(name) \(small)\(smallName)"
    }
}
