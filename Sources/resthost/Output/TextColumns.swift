/// Rows whose columns are as wide as their widest entry.
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
