import LuaRuntime

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
