import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// `rest.on_event`.
@Suite(.leakChecked) @EngineActor
struct EventTests {
    @Test func `46.8 a function hears of the kinds that it names, a tick later`() throws {
        let lines = try output(
            """
            rest.on_event({ "request", "attempt", "response" }, function(event)
              print(event.kind, event.request, event.service, event.method, event.url, event.status)
            end)
            api:resource("json"):load()
            print "asked"
            """)
        let url = "GET\thttps://api.test/v1/json"
        #expect(
            lines == [
                "asked", "request\t1\tapi\t\(url)\tnil", "attempt\t1\tapi\t\(url)\t200",
                "response\t1\tapi\t\(url)\t200",
            ])
    }

    @Test func `46.8 calls come one at a time, and one that waits loses nothing`() throws {
        let fixture = try self.fixture(
            """
            local busy
            rest.on_event({ "state" }, function(event)
              print(event.event, busy)
              busy = true
              rest.sleep(1)
              busy = false
            end)
            api:resource("a"):override_local_content("x")
            api:resource("a"):wipe()
            """)
        fixture.advance(5)
        #expect(fixture.lines == ["new_data(local_override)\tnil", "new_data(wipe)\tfalse"])
        fixture.close()
    }

    @Test func `46.5 a slow function learns how many it lost, and the log shows it`() throws {
        let fixture = try self.fixture(
            """
            rest.on_event({ "state" }, function(event)
              if event.dropped then print(event.dropped) end
              rest.sleep(1)
            end)
            for i = 1, 1024 + 8 do api:resource("a"):override_local_content(tostring(i)) end
            """)
        fixture.advance(3)
        let lines = fixture.lines
        #expect(lines.contains("8"))
        #expect(lines.contains { $0.contains("8 events were dropped") })
        fixture.close()
    }

    @Test func `46.8 an error is logged with its place, and the next event comes`() throws {
        let fixture = try self.fixture(
            """
            local count = 0
            rest.on_event({ "state" }, function(event)
              count = count + 1
              if count == 1 then error "broken" end
              print(count)
            end)
            api:resource("a"):override_local_content("x")
            api:resource("a"):wipe()
            """)
        let entry = try #require(fixture.log.first { $0.level == .error })
        #expect(entry.text == "a listener of rest.on_event: broken" && entry.place == "test.lua:4")
        #expect(fixture.lines.contains("2"))
        fixture.close()
    }

    @Test func `46.8 cancel ends it, also within itself, and what it sets off comes a tick later`() throws {
        let lines = try output(
            """
            local count, listener = 0
            listener = rest.on_event({ "state" }, function(event)
              count = count + 1
              if count == 3 then listener:cancel() end
              api:resource("a"):override_local_content(tostring(count))
            end)
            api:resource("a"):wipe()
            rest.after(1, function() print(count) listener:cancel() end)
            """, seconds: 2)
        #expect(lines == ["3"])
    }

    @Test(arguments: [
        (
            #"rest.on_event({ "requests" }, print)"#,
            "unknown kind of event 'requests': did you mean 'request'?"
        ),
        ("rest.on_event({}, print)", "name at least one"),
        (#"rest.on_event("state", print)"#, "table"),
        (#"rest.on_event({ "state" }, 1)"#, "function"),
        (#"for i = 1, 101 do rest.on_event({ "state" }, print) end"#, "100 listeners"),
    ])
    func `a wrong call names the mistake and its line`(source: String, message: String) throws {
        let fixture = ScriptFixture()
        let diagnostic = try #require(fixture.failure(of: source))
        #expect(diagnostic.message.contains(message) && diagnostic.line == 1, "\(diagnostic)")
        fixture.close()
    }

    @Test func `46.8 a listener ends with its script when another takes over, whose own begins`() throws {
        let source = """
            rest.on_event({ "state", "reload" }, function(event) print(NAME, event.kind, event.event) end)
            """
        let fixture = try ReloadFixture("local NAME = 'old' " + source)
        fixture.reload("local NAME = 'new' " + source)
        try fixture.api.resource("a").overrideLocalContent(.text("x"))
        fixture.fixture.settle()
        #expect(fixture.take() == ["new\tstate\tnew_data(local_override)"])
        fixture.reload("local NAME = 'unwanted' " + source, accepts: false)
        try fixture.api.resource("a").wipe()
        fixture.fixture.settle()
        #expect(fixture.take() == ["new\tstate\tnew_data(wipe)"])
        fixture.close()
        #expect(!fixture.fixture.engine.hasListeners(of: .state))
    }

    private func fixture(_ source: String) throws -> ScriptFixture {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(source)
        return fixture
    }
}
