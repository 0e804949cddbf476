import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import resthost

struct TestCoverageTests {
    private static let scripts = "\(BuiltProgram.repository)/Tests/TestScripts"

    @Test func `a table says what was not reached, and a file has the counts`() async throws {
        let folder = TemporaryFolder()
        folder.write("lcov.info", "replaced")
        let run = await ChildProcess(
            [
                BuiltProgram.path, "test", "github_test.lua", "--coverage", "--coverage-output",
                folder.path + "/lcov.info",
            ], in: Self.scripts
        ).end()
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(
            run.output.hasSuffix(
                """

                coverage
                  github.lua      92.3 %  12/13  missing 10
                  lib/shape.lua   77.7 %  7/9  missing 8-9
                  total           86.3 %  19/22

                """), "\(run.output)")
        let file = String(
            decoding: try WholeFile.read(folder.path + "/lcov.info", limit: 1 << 20), as: UTF8.self)
        let records = file.split(separator: "end_of_record\n").map {
            $0.split(separator: "\n").map(String.init)
        }
        try #require(records.count == 2)
        #expect(records[0].prefix(4) == ["TN:", "SF:github.lua", "DA:2,2", "DA:3,2"])
        #expect(records[0].contains("DA:10,0") && records[0].suffix(2) == ["LF:13", "LH:12"])
        #expect(
            records[1].prefix(2) == ["TN:", "SF:lib/shape.lua"] && records[1].suffix(2) == ["LF:9", "LH:7"])
    }

    @Test func `counts of several files are added, whatever way led to them`() {
        var report = CoverageReport()
        report.add([LineHits(path: "./a/../lib/x.lua", counts: [1: 2, 2: 0])])
        report.add([
            LineHits(path: "lib/x.lua", counts: [1: 1, 2: 1, 3: 0]), LineHits(path: "/b//c.lua", counts: [:]),
        ])
        #expect(
            report.files == [
                LineHits(path: "/b/c.lua", counts: [:]),
                LineHits(path: "lib/x.lua", counts: [1: 3, 2: 1, 3: 0]),
            ])
        #expect(CoverageReport.normalized("../a/./../../b") == "../../b")
        #expect(
            LCOVText.text(report).hasSuffix(
                "SF:lib/x.lua\nDA:1,3\nDA:2,1\nDA:3,0\nLF:3\nLH:2\nend_of_record\n"))
    }

    @Test func `percents are rounded down, many ranges are cut`() {
        #expect(CoverageTable.percent(999, 1000) == "99.9" && CoverageTable.percent(9999, 10000) == "99.9")
        #expect(CoverageTable.percent(0, 0) == "100.0" && CoverageTable.percent(1, 3) == "33.3")
        var report = CoverageReport()
        let counts = Dictionary(uniqueKeysWithValues: (1...100).map { ($0, $0 % 3 == 0 ? 1 : 0) })
        report.add([LineHits(path: "a.lua", counts: counts)])
        let text = CoverageTable(report, style: .plain).text
        #expect(text.contains("missing 1-2, 4-5, 7-8, "))
        #expect(text.contains("58-59, …\n"))
        #expect(CoverageTable(CoverageReport(), style: .plain).text == "\ncoverage: no script was loaded\n")
    }
}
