import Gateway
import RestEngine
import RestScript
import Testing

@testable import resthost

@EngineActor
struct RunControlTests {
    private func answer(_ control: RunControl) -> Result<Tree, ControlProblem>? {
        var answer: Result<Tree, ControlProblem>?
        control.reload { answer = $0 }
        return answer
    }

    private let facts = HostFacts(
        process: 1, uptime: 0, script: "main.lua", folder: "/", generationAge: 0)

    @Test func `a reload gives the generation and how long it took`() throws {
        let facts = facts
        let control = RunControl(
            load: { $0(.success(.init(generation: 4, seconds: 0.25))) }, facts: { facts })
        #expect(try answer(control)?.get() == ["generation": 4, "seconds": 0.25])
        #expect(control.status == facts.tree)
    }

    @Test func `a failed one travels whole`() throws {
        let diagnostic = Diagnostic(
            .error, "bad", file: "a.lua", line: 1, traceback: "a.lua:1\nb.lua:2", hint: "do")
        let report = FailureReport(diagnostic, lines: { _ in ["only\tline"] })
        let facts = facts
        let control = RunControl(
            load: { $0(.failure(.init(report: report, generation: 3))) }, facts: { facts })
        guard case .failure(let problem) = answer(control) else {
            Issue.record("it was a success")
            return
        }
        #expect(problem.status == 422)
        #expect(problem.detail == "bad")
        let tree = Tree(pairs: problem.members.map { ($0.name, $0.value) })
        #expect(tree["generation"]?.int == 3)
        let received = FailureReport(tree, message: problem.detail)
        #expect(received.diagnostic == diagnostic)
        #expect(received.excerpt == report.excerpt)
        #expect(received.text(.plain).contains("  1 | only    line\n    | ^\n"))
    }
}
