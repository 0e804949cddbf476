import Testing

struct TestFormatTests {
    private static let scripts = "\(BuiltProgram.repository)/Tests/TestScripts"

    private func run(_ format: String) async -> ChildProcess.Outcome {
        await BuiltProgram.run("test", "--format", format, "--coverage", in: Self.scripts)
    }

    @Test func `TAP has a plan, a line for each test, and YAML behind a failure`() async throws {
        let run = await run("tap")
        #expect(run.code == 1)
        #expect(run.errors.contains("coverage\n"))
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
        #expect(lines.first == "TAP version 14")
        let points = lines.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
        #expect(lines.last == "1..\(points.count)" && points.count == 11)
        for (index, point) in points.enumerated() { #expect(point.contains("ok \(index + 1) - ")) }
        #expect(points.first == "not ok 1 - broken/syntax_test.lua can't be loaded")
        #expect(points.contains("not ok 6 - failing_test.lua: waits for ever \\# not a directive"))
        #expect(points.contains("ok 11 - github_test.lua: repositories # SKIP not mapped yet"))
        // All other lines belong to a block that begins and ends after a failure.
        var isInBlock = false
        for line in lines.dropFirst().dropLast() where !points.contains(line) {
            #expect(line.hasPrefix("  "))
            if line == "  ---" { isInBlock = true }
            #expect(isInBlock)
            if line == "  ..." { isInBlock = false }
        }
        #expect(!isInBlock)
        #expect(lines.filter { $0 == "  ---" }.count == points.filter { $0.hasPrefix("not") }.count)
        #expect(lines.contains(#"  message: "odd \u0001 & <tag> ]]> \u001b[31m""#))
        #expect(!run.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test func `JUnit's XML is well formed, with counts that agree`() async throws {
        let run = await run("junit")
        #expect(run.code == 1)
        let document = try XMLCheck(run.output)
        let suites = document.elements.filter { $0.name == "testsuite" }
        #expect(
            suites.map { $0.attributes["name"] } == [
                "broken/syntax_test.lua", "failing_test.lua", "github_test.lua",
            ])
        #expect(suites.map { $0.attributes["tests"] } == ["1", "7", "3"])
        #expect(suites.map { $0.attributes["failures"] } == ["0", "5", "0"])
        #expect(suites.map { $0.attributes["errors"] } == ["1", "0", "0"])
        #expect(suites.map { $0.attributes["skipped"] } == ["0", "0", "1"])
        let whole = try #require(document.elements.first { $0.name == "testsuites" })
        #expect(whole.attributes["tests"] == "11" && whole.attributes["failures"] == "5")
        #expect(document.elements.filter { $0.name == "testcase" }.count == 11)
        #expect(document.elements.filter { $0.name == "failure" }.count == 5)
        #expect(document.elements.filter { $0.name == "error" }.count == 1)
        #expect(
            document.elements.filter { $0.name == "skipped" }.map { $0.attributes["message"] } == [
                "not mapped yet"
            ])
        #expect(document.elements.contains { $0.attributes["name"] == "raises <an> & \"error\"\n\u{FFFD}" })
        let failure = try #require(document.elements.first { $0.name == "failure" })
        #expect(failure.attributes["message"] == "the values differ at .tags[2]")
        #expect(
            failure.text.hasPrefix(
                "failing_test.lua:8: error: the values differ at .tags[2]\n  expected: 3\n"))
    }
}
