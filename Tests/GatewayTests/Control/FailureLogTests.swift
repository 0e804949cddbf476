import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// The failures that clients get, in the host's log (rules 73).
@Suite(.leakChecked) @EngineActor
struct FailureLogTests {
    private let fixture = EngineFixture()

    private func error(_ message: String, line: Int) -> RequestError {
        RequestError(
            cause: .scriptError(
                .init(message: message, file: "main.lua", line: line, traceback: "stack of \(line)")),
            timestamp: 0)
    }

    @Test func `73.1 the first failure of a kind is reported whole, further ones are counted`() {
        var reports: [GatewayFailure] = []
        let log = FailureLog { reports.append($0) }
        for _ in 1...3 { log.note(error("no", line: 1), of: "GET /a", "id", fixture.engine.scheduler) }
        log.note(error("other", line: 2), of: "GET /b", "id", fixture.engine.scheduler)
        #expect(reports.map(\.place) == ["main.lua:1", "main.lua:2"])
        #expect(reports.map(\.traceback) == ["stack of 1", "stack of 2"])
        #expect(reports[0].text.hasPrefix("GET /a: ") && reports[0].text.contains("no"))
        fixture.advance(60)
        #expect(reports.count == 3)
        #expect(reports[2].text.hasPrefix("2 more times in a minute: GET /a: "))
        #expect(reports[2].traceback == nil)
        fixture.advance(60)
        log.note(error("no", line: 1), of: "GET /a", "id", fixture.engine.scheduler)
        #expect(
            reports.count == 4 && reports[3].traceback == "stack of 1", "it is new again after a calm minute")
        fixture.advance(120)
        #expect(reports.count == 4)
    }

    @Test func `73.2 kinds have a limit, and secrets are masked`() {
        var reports: [GatewayFailure] = []
        let log = FailureLog { reports.append($0) }
        for line in 1...200 {
            log.note(error("no", line: line), of: "GET /a", "id", fixture.engine.scheduler)
        }
        #expect(reports.count == 101)
        log.note(
            RequestError(
                userMessage: "no", cause: nil, timestamp: 0, url: "https://api.test/a?access_token=hidden"),
            of: "GET /a?access_token=hidden", "id", fixture.engine.scheduler)
        fixture.advance(60)
        #expect(reports.count == 102)
        #expect(reports.allSatisfy { !$0.text.contains("hidden") }, "\(reports.last?.text ?? "")")
    }

    @Test func `73.2 codes have a limit, because a script names them as it likes`() {
        let metrics = GatewayMetrics()
        for number in 1...200 { metrics.noteFailure("t\(number)") }
        metrics.noteFailure("t1")
        #expect(metrics.failures.count == 101 && metrics.failures["other"] == 100)
        #expect(metrics.failures["t1"] == 2)
    }
}
