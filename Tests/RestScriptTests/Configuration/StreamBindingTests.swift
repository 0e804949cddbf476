import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct StreamBindingTests {
    @Test func `the field is "events", "body" or false`() throws {
        try expect(
            """
            local c = api:resource("a").configuration
            print(c.stream)
            api:configure("a", function(c) c.stream = "events" end)
            print(api:resource("a").configuration.stream)
            api:configure("a", function(c) c.stream = "body" end)
            print(api:resource("a").configuration.stream)
            api:configure("a", function(c) c.stream = nil end)
            print(api:resource("a").configuration.stream)
            """, prints: ["false", "events", "body", "false"])
    }

    @Test(arguments: [
        (
            "'event'",
            "bad value for 'stream' of configuration (it is \"events\", \"body\" or false, got 'event')"
        ),
        ("5", "bad value for 'stream' of configuration (string expected, got number)"),
        ("'events' c.refresh_while_observed = 5", "stream makes no sense with refresh_while_observed"),
    ])
    func `what makes no sense is an error of the line`(value: String, message: String) throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            api:configure(function(c)
              c.stream = \(value)
            end)
            rest.spawn(function()
              local _, err = api:resource("a"):get()
              print(err.cause.message, err.cause.line)
            end)
            """)
        fixture.settle()
        let line = try #require(fixture.take().first)
        #expect(line.contains(message) && line.hasSuffix("\t2"))
        fixture.close()
    }

    @Test func `57.2 each event is the content that observers are notified of`() throws {
        let fixture = ScriptFixture()
        let reply = StubReply.text(
            200, "event: price\ndata: {\"n\": 1}\n\nid: 9\ndata: tail\n\n", type: "text/event-stream")
        try fixture.transport.stub(method: "GET", urlGlob: "https://api.test/v1/live", reply)
        try fixture.load(
            """
            api:configure("live", function(c) c.stream = "events" end)
            live = api:resource("live")
            live:add_observer(function(resource, event)
              local data = resource.latest_data
              if event ~= "new_data(network)" then return end
              print(data.headers["Event-Type"], data.content_type, data.json.n or data.text, data.headers["Last-Event-ID"])
            end)
            """)
        fixture.settle()
        #expect(
            fixture.take() == [
                "price\tapplication/json\t1\tnil", "message\ttext/plain; charset=utf-8\ttail\t9",
            ])
        fixture.advance(3)
        #expect(fixture.transport.requests.count == 2)
        #expect(fixture.transport.requests.last?.headers["Last-Event-ID"] == "9")
        #expect(fixture.host?.hasWork == true)
        fixture.close()
    }
}
