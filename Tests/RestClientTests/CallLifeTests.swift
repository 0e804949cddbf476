import RestClient
import TestSupport
import Testing

/// The lifetime of a call, and the engine's work around it, as for any request.
struct CallLifeTests {
    @Test @EngineActor func `a service is freed with the last call of it`() async throws {
        weak var service: Service?
        do {
            let api = try await StubbedService()
            service = api.service
            try api.stub("GET", "**", .json(200, #"{"name": "Mona"}"#))
            let users = try api.service.endpoint("users") { Authorize(.bearer) { "t" } }
            let call: Call<Person> = users.get("1")
            try await call()
            for await update in call.updates where update.value != nil { break }
            #expect(service != nil)
        }
        // The loop releases the last request's hooks in later ticks.
        await yielding(until: "the service is freed") { service == nil }
    }

    @Test func `a reader that stops doesn't observe any more`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .json(200, "{}"))
        let call: Call<Tree> = api.service.get("x")
        for await update in call.updates where update.value != nil { break }
        let resource = await call.resource
        await yielding(until: "nobody observes") { await EngineActor.run { !resource.isObserved } }
    }

    @Test func `blocks, decorators and repeats hold for a call`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .response(503))
        // Without the service, because the service holds its blocks.
        let (transport, base) = (api.transport, api.service.baseURL)
        await EngineActor.run {
            api.service.configure("**") { configuration in
                configuration.headers.set("X-Block", "1")
                configuration.decorators.append { _, request in
                    request.chained { info in
                        guard case .failure = info.response else { return .useThisResponse }
                        try transport.stub(
                            method: .get, urlGlob: "x", base: base, .json(200, #"{"name": "second"}"#))
                        return .passTo(request.repeated())
                    }
                }
            }
        }
        let call: Call<Person> = api.service.get("x") { Authorize(.bearer) { "t" } }
        let response = try await call.response()
        #expect(response.value == Person(name: "second") && response.status == 200)
        #expect(response.body == Array(#"{"name": "second"}"#.utf8) && response.timings != nil)
        let requests = await transport.requests
        #expect(requests.count == 2 && requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
        #expect(requests.allSatisfy { $0.headers["X-Block"] == "1" })
    }

    @Test func `41.8 10.13 a call's timeout ends at a refresh, a chain and a retry`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "**", .response(401))
        try await api.stub("GET", "busy", .response(503, headers: Headers([("Retry-After", "9")])))
        await EngineActor.run {
            let gate = RefreshGate()
            api.service.configure("refreshed") {
                $0.decorators.append(gate.decorator(when: { $0.httpStatusCode == 401 }) { _ in })
            }
            api.service.configure("chained") {
                $0.decorators.append { _, request in
                    request.chained(deciding: { _, _ in })
                }
            }
            api.service.configure("busy") {
                $0.retry = RetryPolicy()
            }
        }
        // The API's wait doesn't fit into the last limit, so that call ends at once.
        for (path, limit) in [("refreshed", 0.02), ("chained", 0.02), ("busy", 8)] {
            let call: Call<Tree> = api.service.get("\(path)")
            let error = try await #require(
                #expect(throws: RequestError.self) { try await call.timeout(.seconds(limit))() }, "\(path)")
            #expect(error.code == (path == "busy" ? "http_5xx" : "timeout"), "\(path): \(error)")
        }
    }

    @Test func `many tasks send one call at once`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "**", .json(200, #"{"name": "Mona"}"#))
        let call: Call<Person> = api.service.get("x")
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 { group.addTask { try await call.adding { Query("n", number) }().name } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "Mona", count: 100))
        #expect(await Set(api.sent).count == 100)
    }
}
