import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct StaleReadTests {
    let fixture = EngineFixture()

    private struct Served {
        var text: String?
        var code: String?
        var reason: String?
    }

    private func read(_ resource: Resource) -> Served? {
        var served: Served?
        resource.readServedAnswer { result, reason in
            var new = Served()
            switch result {
            case .success(let answer): new.text = String(decoding: answer.content.body, as: UTF8.self)
            case .failure(let error): new.code = error.code
            }
            switch reason {
            case .revalidating?: new.reason = "revalidating"
            case .failed(let error)?: new.reason = error.code
            case .offline?: new.reason = "offline"
            case nil: break
            }
            served = new
        }
        fixture.settle()
        return served
    }

    private func loaded(_ path: String = "a") throws -> Resource {
        try fixture.stub(.get, path, .text(200, "old"))
        let resource = fixture.resource(path)
        resource.load()
        fixture.settle()
        fixture.transport.clear()
        return resource
    }

    @Test func `44.1: expired data is served at once while it is loaded anew`() throws {
        try fixture.configure { $0.configuration.staleWhileRevalidate = .seconds(60) }
        let resource = try loaded()
        let held = try fixture.stub(.get, "a", isHeld: true, .text(200, "new"))
        #expect(read(resource)?.reason == nil)
        fixture.advance(40)
        let first = read(resource)
        #expect(first?.text == "old" && first?.reason == "revalidating")
        #expect(read(resource)?.text == "old" && fixture.transport.requests.count == 1, "one load for all")
        held.go()
        fixture.settle()
        let last = read(resource)
        #expect(last?.text == "new" && last?.reason == nil)
        fixture.advance(91)
        #expect(read(resource)?.reason == nil && fixture.transport.requests.count == 2, "too old")
    }

    @Test func `44.2: old data stands in for a server in trouble, not for what it refuses`() throws {
        try fixture.configure { $0.configuration.staleIfError = .seconds(60) }
        let resource = try loaded()
        fixture.advance(40)
        try fixture.stub(.get, "a", .response(503))
        let served = read(resource)
        #expect(served?.text == "old" && served?.reason == "http_5xx")
        fixture.advance(5)
        try fixture.stub(.get, "a", .error(TransportError(.connectionFailed, message: "down")))
        #expect(read(resource)?.reason == "connection_failed")
        fixture.advance(5)
        try fixture.stub(.get, "a", .response(404))
        let refused = read(resource)
        #expect(refused?.text == nil && refused?.code == "http_4xx")
        fixture.advance(41)
        try fixture.stub(.get, "a", .response(503))
        #expect(read(resource)?.code == "http_5xx", "91 s after it came it is too old")
    }

    @Test func `44.2: readers get old data in place of a failure, and the resource has the error`()
        throws
    {
        try fixture.configure { $0.configuration.staleIfError = .seconds(60) }
        let resource = try loaded()
        fixture.advance(40)
        try fixture.stub(.get, "a", .response(503))
        var texts: [String] = []
        resource.read { texts.append((try? $0.get().text) ?? "failed") }
        fixture.settle()
        // Within the retry time no request is sent.
        resource.read { texts.append((try? $0.get().text) ?? "failed") }
        fixture.settle()
        #expect(texts == ["old", "old"] && fixture.transport.requests.count == 1)
        #expect(resource.latestError?.httpStatusCode == 503)
        fixture.advance(60)
        resource.read { texts.append((try? $0.get().text) ?? "failed") }
        fixture.settle()
        #expect(texts.last == "failed")
        resource.invalidate()
        let held = try fixture.stub(.get, "a", isHeld: true, .text(200, "new"))
        resource.read { texts.append((try? $0.get().text) ?? "failed") }
        fixture.settle()
        for load in resource.loadRequests { load.cancel() }
        held.go()
        fixture.settle()
        #expect(texts.last == "failed", "a cancellation is no trouble of the server's")
    }

    @Test func `44.3: what was invalidated is never served as old data`() throws {
        try fixture.configure {
            $0.configuration.staleIfError = .seconds(60)
            $0.configuration.staleWhileRevalidate = .seconds(60)
        }
        let resource = try loaded()
        resource.invalidate()
        try fixture.stub(.get, "a", .response(503))
        #expect(read(resource)?.code == "http_5xx")
    }

    @Test func `44.4: offline nothing is sent, and what is there is served`() throws {
        let resource = try loaded()
        fixture.engine.isOffline = true
        fixture.advance(1000)
        let served = read(resource)
        #expect(served?.text == "old" && served?.reason == "offline")
        #expect(read(fixture.resource("b"))?.code == "offline")
        let load = resource.load()
        let post = resource.request(.post)
        fixture.settle()
        #expect(load.info?.response.error?.code == "offline" && post.info?.response.error?.code == "offline")
        #expect(load.attempts.isEmpty && fixture.transport.requests.isEmpty)
        #expect(resource.latestData?.content.text == "old")
    }

    @Test func `44.5: a read of the caches alone waits for them and sends nothing`() throws {
        let cache = MemoryCache()
        try fixture.configure { $0.configuration.pipeline["parsing"].cache = cache }
        var resource: Resource? = try loaded()
        fixture.service.flushUnusedResources()
        resource = nil
        fixture.service.flushUnusedResources()
        fixture.advance(1000)
        resource = fixture.resource("a")
        var found: Result<Entity, RequestError>?
        resource?.readCached { found = $0 }
        fixture.settle()
        guard case .success(let entity)? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(entity.content.text == "old" && entity.timestamp == 1_000_000)
        var missing: Result<Entity, RequestError>?
        fixture.resource("b").readCached { missing = $0 }
        fixture.settle()
        guard case .failure(let error)? = missing else {
            Issue.record("there is something")
            return
        }
        #expect(error.code == "offline" && fixture.transport.requests.isEmpty)
        #expect(fixture.resource("b").latestError == nil)
    }
}
