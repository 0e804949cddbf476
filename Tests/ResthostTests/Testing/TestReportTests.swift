import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

struct TestReportTests {
    @Test func `texts of all kinds stay well formed`() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            let text = String(decoding: random.bytes(upTo: 60), as: UTF8.self)
            let document = try XMLCheck(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"\(XMLText.attribute(text))\">\(XMLText.content(text)).</a>\n"
            )
            let element = try #require(document.elements.first)
            #expect(element.attributes["b"]?.unicodeScalars.count == text.unicodeScalars.count)
            #expect(element.text.unicodeScalars.count == text.unicodeScalars.count + 1)
            #expect(!SingleLine.text(text).utf8.contains { $0 < 0x20 || $0 == 0x7F })
            #expect(!JSONText.string(text).utf8.contains { $0 < 0x20 || $0 == 0x7F })
        }
    }

    @Test(arguments: [
        ("a", "\"a\""), ("\"\\\n\r\t", "\"\\\"\\\\\\n\\r\\t\""),
        ("\u{1}\u{7F}\u{85}\u{2028}ü", "\"\\u0001\\u007f\\u0085\\u2028ü\""),
    ])
    func `strings are written as JSON has them`(text: String, json: String) {
        #expect(JSONText.string(text) == json)
    }

    @Test(arguments: [(0, "0.000"), (0.0004, "0.000"), (1.2345, "1.235"), (61, "61.000"), (-1, "0.000")])
    func `seconds have three decimals`(seconds: Double, text: String) {
        #expect(Seconds.text(seconds) == text)
    }

    @Test func `on a terminal what should be is green and what is red`() async {
        let folder = TemporaryFolder()
        folder.write(
            "a_test.lua",
            "local t = require 'resthost.test' t.test('a', function() t.equal(1, 2) end) t.skip('b', 'later')"
        )
        var text = ""
        let report = PrettyTestReport(style: Style(isColoured: true)) { text += $0 }
        let results = await results(of: folder.path + "/a_test.lua")
        report.begin("a_test.lua")
        for result in results { report.add(result) }
        report.end(TestTotals(failed: 1, skipped: 1))
        #expect(text.contains("\u{1B}[32m  expected: 2\u{1B}[0m"))
        #expect(text.contains("\u{1B}[1;31m  actual:   1\u{1B}[0m"))
        #expect(text.contains("\u{1B}[1;31m✗\u{1B}[0m a"))
    }

    @Test func `a long run names its failures once more`() async {
        let folder = TemporaryFolder()
        folder.write("a_test.lua", "local t = require 'resthost.test' t.test('a', function() t.fail() end)")
        var text = ""
        let report = PrettyTestReport(style: .plain) { text += $0 }
        for result in await results(of: folder.path + "/a_test.lua") { report.add(result) }
        report.end(TestTotals(passed: 40, failed: 1, seconds: 2))
        #expect(
            text.hasSuffix("\nfailed\n  \(folder.path)/a_test.lua:1 a\n40 passed, 1 failed in 2.000 s\n"),
            "\(text)")
    }

    @EngineActor
    private func results(of path: String) async -> [ScriptTestResult] {
        let file = ScriptTestFile(path: path, options: ScriptOptions())
        defer { file.close() }
        try? file.load()
        var results: [ScriptTestResult] = []
        for test in file.tests { results.append(await file.run(test)) }
        return results
    }
}
