import RestClient
import TestSupport
import Testing

/// The resources of calls: who shares one, and what it sends (rules 79).
struct IdentityTests {
    /// An API that answers with the credentials and the Accept of the request.
    private func echo() async throws -> StubbedService {
        let api = try await StubbedService()
        try await EngineActor.run {
            _ = try api.transport.stub(method: nil, urlGlob: "**") { request in
                .text(
                    200,
                    "\(request.headers["Authorization"] ?? "nobody") \(request.headers["Accept"] ?? "any")")
            }
        }
        return api
    }

    /// The first output of a call's updates.
    private func firstUpdate<Output: Decodable>(of call: Call<Output>) async -> Output? {
        for await update in call.updates {
            if let value = update.value { return value }
            if update.error != nil { return nil }
        }
        return nil
    }

    @Test func `79.1 updates give the data of the call's own credentials`() async throws {
        let api = try await echo()
        func me(_ name: String) throws -> Call<String> {
            try Endpoint(url: "https://api.test/v1/", session: api.session) {
                Authorize(.bearer) { name }
            }.get("me")
        }
        let (alice, bob) = (try me("ALICE"), try me("BOB"))
        #expect(await firstUpdate(of: alice) == "Bearer ALICE any")
        #expect(await firstUpdate(of: bob) == "Bearer BOB any")
        #expect(await firstUpdate(of: alice) == "Bearer ALICE any")
        #expect(await api.sent.count == 2)
    }

    @Test func `79.1 headers, Accept for example, part resources, and equal ones share one`() async throws {
        let api = try await echo()
        func call(_ type: ContentType) -> Call<String> { api.service.get("a") { Header.accept(type) } }
        #expect(await firstUpdate(of: call("text/plain")) == "nobody text/plain")
        #expect(await firstUpdate(of: call("text/csv")) == "nobody text/csv")
        #expect(await firstUpdate(of: call("text/plain")) == "nobody text/plain")
        #expect(await call("text/plain").resource === call("text/plain").resource)
        #expect(await call("text/plain").resource !== call("text/csv").resource)
        #expect(await api.sent.count == 2)
    }

    @Test func `79.1 a call that adds only path, query and body shares the service's resource`() async throws
    {
        let api = try await echo()
        let call: Call<String> = api.service.post("a") {
            Query("page", 2)
            Body { ["a": 1] }
        }
        let expected = await api.service.resource(absoluteURL: "https://api.test/v1/a?page=2")
        #expect(await call.resource === expected)
    }

    @Test func `79.1 functions of different calls are never taken for each other`() async throws {
        let api = try await echo()
        // One is released before the next is made, so their addresses may be the same.
        for number in 0..<200 {
            let call: Call<String> = api.service.get("me") { Authorize(.bearer) { "\(number)" } }
            #expect(await firstUpdate(of: call) == "Bearer \(number) any")
        }
    }

    @Test func `79.2 a call's resource sends and keeps what the call adds`() async throws {
        let api = try await echo()
        let call: Call<String> = api.service.get("me") {
            Header(.accept, "text/plain")
            Configure { $0.expirationTime = .hours(2) }
            Authorize(.bearer) { "ALICE" }
        }
        let resource = await call.resource
        #expect(try await resource.get(as: String.self) == "Bearer ALICE text/plain")
        #expect(await resource.configuration(for: .get).expirationTime == .hours(2))
        let changed = try await resource.request(.post).entity()
        #expect(changed.text == "Bearer ALICE text/plain")
        #expect(try await resource.load().entity().text == "Bearer ALICE text/plain")
    }

    @Test func `79.2 credentials are asked for once a request`() async throws {
        let api = try await echo()
        let asked = Counter()
        let call: Call<String> = api.service.get("me") {
            Authorize(.bearer) {
                asked.count += 1
                return "ALICE"
            }
        }
        try await call()
        #expect(await asked.count == 1)
        _ = await firstUpdate(of: call)
        #expect(await asked.count == 2)
    }

    @Test func `79.3 resources that it leads to have it at the same origin, and no others`() async throws {
        let api = try await echo()
        let call: Call<String> = api.service.get("me") { Authorize(.bearer) { "ALICE" } }
        let me = await call.resource
        let near = await [me.child("a"), me.relative("b"), me.withParam("c", "1"), me.relative("/v1/d")]
        for resource in near {
            #expect(try await resource.get(as: String.self) == "Bearer ALICE any", "\(resource)")
        }
        for link in ["https://other.test/v1/me", "http://api.test/v1/me", "https://api.test:444/v1/me"] {
            let resource = await me.relative(link)
            #expect(try await resource.get(as: String.self) == "nobody any", "\(resource)")
            #expect(resource.partition == nil)
        }
    }

    @Test func `79.4 calls share refreshes and cookies with the service`() async throws {
        let api = try await StubbedService()
        let tokens = Counter()
        try await EngineActor.run {
            try api.transport.stub(method: nil, urlGlob: "**") { request in
                let cookie = Headers([("Set-Cookie", "seen=1; Path=/")])
                let isAllowed = request.headers["Authorization"] == "Bearer 1"
                return .response(isAllowed ? 200 : 401, headers: cookie)
            }
            let gate = RefreshGate()
            api.service.cookies = CookieJar()
            api.service.configure("**") {
                $0.decorators.append(
                    gate.decorator(when: { $0.httpStatusCode == 401 }) {
                        await Task.yield()
                        tokens.count += 1
                    })
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let call: Call<Void> = api.service.get("x") {
                    Header("X-Number", "\(number)")
                    Authorize(.bearer) { "\(tokens.count)" }
                }
                group.addTask { try await call() }
            }
            try await group.waitForAll()
        }
        #expect(await tokens.count == 1)
        #expect(await api.last?.headers["Cookie"] == "seen=1")
    }

    @Test func `79.5 a resource that only sends is not kept`() async throws {
        let api = try await echo()
        for number in 0..<500 {
            try await api.service.get("x", as: String.self) { Header("X-Request", "\(number)") }()
        }
        await yielding(until: "resources are freed") { api.service.liveResourceCount < 10 }
    }

    @Test func `79.6 100 tenants on one API share nothing but connections`() async throws {
        let peer = LoopbackPeer { request in
            let text = request.headers["Authorization"] ?? "nobody"
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            return Array((head + text).utf8)
        }
        let tenants = try (0..<100).map { number in
            try Endpoint(url: peer.baseURL) { Header.authorization(.bearer, value: "tenant-\(number)") }
        }
        #expect(Set(tenants.map(\.session)).count == 100)
        await withTaskGroup(of: Void.self) { group in
            for (number, tenant) in tenants.enumerated() {
                group.addTask {
                    let call: Call<String> = tenant.get("me")
                    let expected = "Bearer tenant-\(number)"
                    #expect(await firstUpdate(of: call) == expected)
                    #expect((try? await call()) == expected)
                    #expect((try? await call.resource.get(as: String.self)) == expected)
                    #expect((try? await call.resource.child("more").get(as: String.self)) == expected)
                    // A tenant without credentials of its own in the call gets none of another.
                    #expect(await firstUpdate(of: call.header("Authorization", nil)) == "nobody")
                }
            }
        }
        #expect(peer.requests.count == 400)
    }

    @Test func `79.6 calls of a service compare equal, and those of two services don't`() async throws {
        let (api, other) = (try await StubbedService(), try await StubbedService())
        let calls: [Call<String>] = [api.service.get("a"), api.service.get("a"), other.service.get("a")]
        #expect(calls[0] == calls[1] && calls[0] != calls[2] && Set(calls).count == 2)
        #expect(Session(api.service) == api.session && Session(api.service) != other.session)
        #expect(Session(name: "a") != Session(name: "a"))
    }

    @Test func `79.6 an endpoint of a URL has a session of its own`() async throws {
        let url = "https://api.test/"
        let (a, b) = (try Endpoint(url: url), try Endpoint(url: url))
        #expect(a.session != b.session)
        #expect(try a.endpoint("x").session == a.session)
        let (mine, other) = (a.get("x"), b.get("x"))
        await EngineActor.run { mine.resource.overrideLocalContent(.text("data of a")) }
        #expect(await other.resource.latestData == nil)
        #expect(await mine.resource.latestData?.text == "data of a")
    }
}

@EngineActor
private final class Counter {
    var count = 0

    nonisolated init() {}
}
