import LuaRuntime
import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Runs one test file to its end. Its objects must be gone then.
@EngineActor
final class TestFileFixture {
    /// The prelude is on the first line, so that the file's lines keep their numbers.
    static let prelude = #"local t = require "resthost.test" "#

    let folder = TemporaryFolder()
    let file: ScriptTestFile
    private(set) var results: [ScriptTestResult] = []

    init(options: ScriptOptions = ScriptOptions(), coversLines: Bool = false) {
        file = ScriptTestFile(path: folder.path + "/a_test.lua", options: options, coversLines: coversLines)
        LeakList.current?.watch(file)
        watch(file.home)
    }

    private func watch(_ host: TestHost) {
        for object in [host, host.context, host.engine, host.transport, host.scheduler] as [AnyObject] {
            LeakList.current?.watch(object)
        }
        for service in host.script.services { LeakList.current?.watch(service) }
    }

    func load(_ source: String) throws(Diagnostic) {
        try file.load(Array((Self.prelude + source).utf8))
    }

    func run() async {
        for test in file.tests { results.append(await file.run(test)) }
    }

    func close(sourceLocation: SourceLocation = #_sourceLocation) {
        for host in file.endedHosts { watch(host) }
        file.close()
        let report = file.home.script.leakReport
        #expect(
            report?.hostObjects == 0 && report?.references == 0 && report?.bytes == 0,
            "\(String(describing: report))", sourceLocation: sourceLocation)
    }

    /// The text without the folder's name, which differs in each run.
    func plain(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }

    /// The results, one line each: `ok NAME`, or `NAME: LINE: MESSAGE`.
    var lines: [String] {
        results.map { result in
            switch result.outcome {
            case .passed: "ok \(result.name)"
            case .skipped(let reason): "skipped \(result.name)\(reason.isEmpty ? "" : ": \(reason)")"
            case .failed(let diagnostic):
                plain("\(result.name): \(diagnostic.line.map(String.init) ?? "?"): \(diagnostic.message)")
            }
        }
    }

    /// The lines that were logged and printed.
    var output: [String] {
        results.flatMap(\.output).map { plain($0.level == .info ? $0.text : "\($0.level): \($0.text)") }
    }
}

/// The results of a test file, one line each. Scripts are in the same folder.
@EngineActor
func testResults(
    _ source: String, scripts: [String: String] = [:], options: ScriptOptions = ScriptOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> [String] {
    let fixture = TestFileFixture(options: options)
    for (name, text) in scripts { fixture.folder.write(name, text) }
    do throws(Diagnostic) { try fixture.load(source) } catch {
        fixture.close(sourceLocation: sourceLocation)
        return [fixture.plain("load: \(error.line.map(String.init) ?? "?"): \(error.message)")]
    }
    await fixture.run()
    fixture.close(sourceLocation: sourceLocation)
    return fixture.lines
}

/// The message with which a test of this body fails, after its line; nil if it passes. The body begins in
/// line 1, with a host, its library, and a service `api` at https://api.test/v1.
@EngineActor
func testFailure(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String? {
    let source = """
        t.test("it", function() local host = t.host() local rest = host.rest \
        local api = rest.service { name = "api", base_url = "https://api.test/v1" } \(body)
        end)
        """
    let lines = try await testResults(source, sourceLocation: sourceLocation)
    return lines == ["ok it"]
        ? nil : lines.map { $0.replacing("it: ", with: "", maxReplacements: 1) }.joined()
}
