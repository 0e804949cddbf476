import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Answers that a script writes while it is replaced (rule 72.5).
@Suite(.leakChecked) @EngineActor
struct StreamedAnswerReloadTests {
    private static let script = """
        local gateway = rest.gateway {}
        gateway:route("GET", "/events", function()
          return rest.stream_response({ content_type = "text/event-stream" }, function(write)
            while true do write { data = "a" } rest.sleep(10) end
          end)
        end)
        gateway:route("GET", "/rows", function()
          return rest.stream_response(function(write)
            for row = 1, 3 do write(row .. ";") rest.sleep(10) end
          end)
        end)
        """

    private func begin(_ index: Int, _ host: ScriptHost) throws -> BodyPipe {
        var stream: ServedStream?
        let route = try #require(host.gateway?.routes[index])
        route.handler.answer(ServedRequest(method: "GET", path: route.path)) {
            if case .success(.stream(let made)) = $0 { stream = made }
        }
        let pipe = BodyPipe()
        try #require(stream).begin(pipe)
        return pipe
    }

    /// The bytes that have come, and `end` or `broken` behind them.
    private func read(_ pipe: BodyPipe) -> String {
        var text = ""
        while true {
            switch pipe.next() {
            case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
            case .nothing: return text
            case .end: return text + "end"
            case .broken: return text + "broken"
            }
        }
    }

    @Test func `a reload ends a stream of events, and lets another answer finish`() async throws {
        let scripts = try ReloadFixture(Self.script)
        let (events, rows) = (try begin(0, scripts.host), try begin(1, scripts.host))
        #expect(read(events) == "data: a\n\n" && read(rows) == "1;")
        scripts.reload("")
        await passes(until: "it ends") { events.isClosed || read(events) == "end" }
        #expect(read(rows).isEmpty)
        for _ in 1...3 {
            scripts.fixture.advance(10)
            await passes()
        }
        #expect(read(rows).hasSuffix("end"))
        scripts.fixture.settle()
        scripts.close()
    }

    @Test func `a function of a client that has left is cancelled, or does not begin`() async throws {
        let scripts = try ReloadFixture(Self.script)
        let left = BodyPipe()
        left.close()
        var stream: ServedStream?
        let route = try #require(scripts.host.gateway?.routes[0])
        route.handler.answer(ServedRequest(method: "GET", path: "/events")) {
            if case .success(.stream(let made)) = $0 { stream = made }
        }
        try #require(stream).begin(left)
        #expect(scripts.host.context.jobs.isEmpty)
        let events = try begin(0, scripts.host)
        #expect(!scripts.host.context.jobs.isEmpty)
        events.close()
        await passes(until: "it is cancelled") { scripts.host.context.jobs.isEmpty }
        stream = nil
        scripts.close()
    }

    /// Lets work run that other threads gave to the engine loop.
    private func passes(until what: String = "", _ isDone: () -> Bool = { true }) async {
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in
                EngineLoop.shared.submit { continuation.resume() }
            }
            if isDone() { return }
        }
        if !what.isEmpty { Issue.record("never: \(what)") }
    }
}
