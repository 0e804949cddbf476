import LuaRuntime

/// The counts of all test files, by script.
struct CoverageReport {
    private var byPath: [String: LineHits] = [:]

    mutating func add(_ hits: [LineHits]) {
        for file in hits {
            let path = Self.normalized(file.path)
            let file = LineHits(path: path, counts: file.counts)
            byPath[path]?.add(file)
            if byPath[path] == nil { byPath[path] = file }
        }
    }

    var files: [LineHits] { byPath.values.sorted { $0.path < $1.path } }

    /// Two tests may reach one script by different paths: `a/../lib/x.lua` is `lib/x.lua`.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}

extension LineHits {
    var lineCount: Int { counts.count }
    var hitCount: Int { counts.values.count { $0 > 0 } }
    var missed: [Int] { counts.filter { $0.value == 0 }.keys.sorted() }
}

/// Coverage for people: a row for each script.
struct CoverageTable {
    private let report: CoverageReport
    private let style: Style

    init(_ report: CoverageReport, style: Style) {
        self.report = report
        self.style = style
    }

    var text: String {
        let files = report.files
        guard !files.isEmpty else { return "\ncoverage: no script was loaded\n" }
        let total = (hit: files.reduce(0) { $0 + $1.hitCount }, all: files.reduce(0) { $0 + $1.lineCount })
        let width = max(5, files.map(\.path.count).max() ?? 0)
        var text = "\n" + style.bold("coverage") + "\n"
        for file in files {
            let missing = ranges(file.missed)
            text +=
                row(file.path, file.hitCount, file.lineCount, width)
                + (missing.isEmpty ? "" : style.dim("  missing \(missing)")) + "\n"
        }
        return text + row("total", total.hit, total.all, width) + "\n"
    }

    private func row(_ name: String, _ hit: Int, _ all: Int, _ width: Int) -> String {
        let gap = String(repeating: " ", count: width - name.count)
        let percent = Self.percent(hit, all)
        let padding = String(repeating: " ", count: max(0, 5 - percent.count))
        return "  \(name)\(gap)  \(padding)\(percent) %  \(hit)/\(all)"
    }

    /// The percentage with one decimal, rounded down, so that 100 means all.
    static func percent(_ hit: Int, _ all: Int) -> String {
        let tenths = all == 0 ? 1000 : hit * 1000 / all
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Ranges of lines such as "3, 7-9".
    private func ranges(_ lines: [Int]) -> String {
        var ranges: [(first: Int, last: Int)] = []
        for line in lines {
            if let last = ranges.last, last.last == line - 1 {
                ranges[ranges.count - 1].last = line
            } else {
                ranges.append((line, line))
            }
        }
        let shown = ranges.prefix(20).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }
        return shown.joined(separator: ", ") + (ranges.count > 20 ? ", …" : "")
    }
}

/// Coverage for programs: the tracefile format of lcov, geninfo(1).
enum LCOVText {
    static func text(_ report: CoverageReport) -> String {
        report.files.map { file in
            var text = "TN:\nSF:\(file.path)\n"
            for (line, count) in file.counts.sorted(by: { $0.key < $1.key }) {
                text += "DA:\(line),\(count)\n"
            }
            return text + "LF:\(file.lineCount)\nLH:\(file.hitCount)\nend_of_record\n"
        }.joined()
    }
}
