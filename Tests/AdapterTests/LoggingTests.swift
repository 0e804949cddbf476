import InMemoryLogging
import Logging
import RestEngine
import RestLogging
import TestSupport
import Testing

/// The engine's log and events in a `Logger`.
@Suite(.leakChecked) @EngineActor
struct LoggingTests {
    let fixture = EngineFixture()
    let handler = InMemoryLogHandler()

    private func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { [handler] _ in handler }
        logger.logLevel = level
        return logger
    }

    private var messages: [String] { handler.entries.map { "\($0.level) \($0.message)" } }

    @Test func `the end of a request has its facts as metadata, with secrets masked`() throws {
        try fixture.stub(.get, "a*", .json(200, "{}", delay: .milliseconds(250)))
        fixture.engine.writeLog(to: logger(.debug))
        let url = "https://api.test/v1/a?access_token=secret&page=2"
        fixture.watch(fixture.service.resource(absoluteURL: url)).load()
        fixture.settle()
        fixture.advance(0.25)
        let entry = try #require(handler.entries.first)
        #expect(messages == ["debug request succeeded"])
        #expect(
            entry.metadata == [
                "request": "1", "service": "api", "method": "GET", "status": "200", "is_new": "true",
                "seconds": "0.25", "url": "https://api.test/v1/a?access_token=***&page=2",
            ])
    }

    @Test func `warnings go to the logger, and after the end of the registration where they went before`() {
        let registration = fixture.engine.writeLog(to: logger(.warning))
        fixture.engine.log.write(.warning, "look at https://api.test/?token=secret")
        fixture.engine.log.write(.network, "not turned on")
        #expect(messages == ["warning look at https://api.test/?token=***"])
        #expect(handler.entries.first?.metadata == ["category": "warning"])
        #expect(fixture.log.isEmpty)
        registration.cancel()
        registration.cancel()
        fixture.engine.log.write(.warning, "again")
        #expect(fixture.log.map(\.text) == ["again"])
        #expect(messages.count == 1)
    }

    @Test func `the engine makes no events for levels that the logger does not record`() {
        var kinds: [Logger.Level: Int] = [:]
        for level in [Logger.Level.trace, .debug, .info, .critical] {
            fixture.engine.writeLog(to: logger(level))
            kinds[level] = EngineEvent.Kind.allCases.filter { fixture.engine.hasListeners(of: $0) }.count
        }
        #expect(kinds == [.trace: 8, .debug: 4, .info: 0, .critical: 0])
        fixture.engine.writeLog(to: logger(.info), failures: .error)
        #expect(EngineEvent.Kind.allCases.filter { fixture.engine.hasListeners(of: $0) } == [.response])
    }

    @Test func `failures have the level that was asked for, cancelled requests have not`() throws {
        try fixture.stub(.get, "bad", .response(500))
        try fixture.stub(.get, "held", isHeld: true, .response())
        fixture.engine.writeLog(to: logger(.info), failures: .error)
        fixture.resource("bad").load()
        let held = fixture.resource("held").load()
        fixture.settle()
        held.cancel()
        fixture.settle()
        #expect(messages == ["error request failed"])
        #expect(handler.entries.first?.metadata["error"] == "http_5xx")
    }

    @Test func `each message, retries too, is an entry of trace with its reason`() throws {
        var statuses = [503, 200]
        try fixture.transport.stub(method: .get, urlGlob: "a", base: fixture.service.baseURL) { _ in
            .response(statuses.removeFirst())
        }
        fixture.service.configure { $0.retry = RetryPolicy() }
        fixture.engine.writeLog(to: logger(.trace))
        fixture.resource("a").load()
        fixture.settle()
        fixture.advance(10)
        let answered = handler.entries.filter { $0.message == "message answered" }
        #expect(answered.map { $0.metadata["status"] } == ["503", "200"])
        #expect(answered.map { $0.metadata["reason"] } == [nil, "503"])
        #expect(messages.contains("trace request began") && messages.contains("debug request succeeded"))
    }

    @Test func `details are text at trace, and are turned on for no other level`() throws {
        try fixture.stub(.get, "a", .response())
        fixture.engine.writeLog(to: logger(.debug), details: [.staleness])
        #expect(fixture.engine.log.enabled.isEmpty)
        let registration = fixture.engine.writeLog(to: logger(.trace), details: [.staleness])
        fixture.resource("a").loadIfNeeded()
        fixture.settle()
        #expect(handler.entries.contains { $0.metadata == ["category": "staleness"] && $0.level == .trace })
        registration.cancel()
        #expect(fixture.engine.log.enabled.isEmpty)
    }

    @Test func `a second logger replaces the first, and another engine has its own`() throws {
        let (other, others) = (EngineFixture(), InMemoryLogHandler())
        var logger = Logger(label: "other") { _ in others }
        logger.logLevel = .debug
        for fixture in [fixture, other] { try fixture.stub(.get, "a", .response()) }
        let first = fixture.engine.writeLog(to: self.logger(.debug))
        fixture.engine.writeLog(to: self.logger(.debug))
        other.engine.writeLog(to: logger)
        // It has ended already, so this changes nothing.
        first.cancel()
        for fixture in [fixture, other] {
            fixture.resource("a").load()
            fixture.settle()
            fixture.engine.log.write(.warning, "one")
        }
        #expect(messages == ["debug request succeeded", "warning one"])
        #expect(others.entries.count == 2 && fixture.log.isEmpty && other.log.isEmpty)
    }

    @Test func `breakers and limits are entries of debug`() throws {
        try fixture.stub(.get, "a", isHeld: true, .response())
        fixture.service.configure {
            $0.limits = RequestLimits(inFlight: 1)
            $0.limits?.queue = 0
        }
        fixture.engine.writeLog(to: logger(.debug))
        let held = fixture.resource("a").load()
        fixture.resource("b").load()
        fixture.settle()
        held.cancel()
        fixture.settle()
        let refused = try #require(handler.entries.first { $0.message == "request refused by a limit" })
        #expect(refused.level == .debug && refused.metadata["action"] == "refused")
    }
}
