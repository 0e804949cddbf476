import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct NotModifiedTests {
    let fixture = EngineFixture()
    let journal = Journal()

    private func load(_ status: Int, _ headers: [(String, String)] = [], _ text: String = "x") throws
        -> Resource
    {
        try fixture.stub(
            "GET", "a",
            .response(
                status, headers: Headers(headers + [("Content-Type", "text/plain")]), body: Array(text.utf8)))
        let resource = fixture.resource("a")
        resource.load()
        fixture.settle()
        return resource
    }

    private var last: Headers { fixture.transport.requests.last?.headers ?? Headers() }

    @Test func `19.8 19.5 load asks with the ETag, verbatim`() throws {
        _ = try load(200, [("ETag", "W/\"a,b\"")])
        #expect(!last.contains("If-None-Match"))
        _ = try load(304)
        #expect(last.values("If-None-Match") == ["W/\"a,b\""])
    }

    @Test(
        arguments: [
            ([("ETag", "\"1\""), ("Last-Modified", "D")], "\"1\"", nil), ([("Last-Modified", "D")], nil, "D"),
            ([], nil, nil),
        ] as [([(String, String)], String?, String?)])
    func `19.8 D14 an ETag, else a date`(headers: [(String, String)], etag: String?, date: String?) throws {
        _ = try load(200, headers)
        _ = try load(200)
        #expect(last["If-None-Match"] == etag)
        #expect(last["If-Modified-Since"] == date)
    }

    @Test func `19.8 after configured headers, before configured mutators`() throws {
        try fixture.configure { [journal] draft in
            draft.configuration.headers.set("If-None-Match", "configured")
            draft.configuration.mutators.append { journal.note($0.headers["If-None-Match"] ?? "none") }
        }
        _ = try load(200, [("ETag", "\"1\"")])
        _ = try load(304)
        #expect(journal.lines == ["configured", "\"1\""])
    }

    @Test func `19.8 request does not ask, loadIfNeeded does`() throws {
        let resource = try load(200, [("ETag", "\"1\"")])
        resource.request("GET")
        fixture.settle()
        #expect(!last.contains("If-None-Match"))
        fixture.advance(60)
        resource.loadIfNeeded()
        fixture.settle()
        #expect(last["If-None-Match"] == "\"1\"")
    }

    @Test func `19.9 4.11 a 304 keeps the data, moves its time and clears the error`() throws {
        let resource = try load(200, [("ETag", "\"1\"")])
        fixture.advance(10)
        _ = try load(500)
        #expect(resource.latestError != nil)
        fixture.noteEvents(in: journal)
        _ = try load(304)
        #expect(journal.lines == ["a: requested", "a: not_modified"])
        #expect(resource.latestError == nil)
        #expect(resource.latestData?.content.text == "x" && resource.latestData?.etag == "\"1\"")
        #expect(resource.latestData?.timestamp == 1_000_010)
        #expect(resource.latestData?.status == 200, "D37: it is the data's own")
    }

    @Test func `19.9 13.10 a 304 without data is an error`() throws {
        fixture.noteEvents(in: journal)
        let resource = try load(304)
        #expect(journal.lines == ["a: requested", "a: error"])
        let error = try #require(resource.latestError)
        #expect(error.code == "no_local_data_for_304" && error.userMessage == "No data available")
    }

    @Test func `19.9 what counts is the data when the response arrives`() throws {
        try fixture.stub("GET", "a", .response(304))
        let resource = fixture.resource("a")
        let request = resource.load()
        resource.overrideLocalContent(.text("local"))
        fixture.settle()
        #expect(request.info?.response.entity?.content.text == "local")
        #expect(resource.latestError == nil)
    }

    @Test func `19.9 a 304 to any method`() throws {
        let resource = try load(200)
        try fixture.stub("POST", "a", .response(304))
        let request = resource.request("POST")
        fixture.settle()
        #expect(request.info?.isNew == false)
        #expect(request.info?.response.entity?.content.text == "x")
    }

    @Test func `19.10 a 200 replaces everything, the ETag included`() throws {
        _ = try load(200, [("ETag", "\"1\""), ("X-Old", "1")])
        let resource = try load(200, [("ETag", "\"2\"")], "y")
        #expect(resource.latestData?.content.text == "y")
        #expect(resource.latestData?.etag == "\"2\"" && resource.latestData?.headers["X-Old"] == nil)
    }

    @Test func `19.11 21.2 new local content keeps the ETag`() throws {
        let resource = try load(200, [("ETag", "\"1\"")])
        resource.overrideLocalContent(.text("local"))
        _ = try load(304)
        #expect(last["If-None-Match"] == "\"1\"")
        #expect(resource.latestData?.content.text == "local")
    }
}
