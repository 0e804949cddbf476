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

    /// Two tests may reach one script by different ways: `a/../lib/x.lua` is `lib/x.lua`.
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
