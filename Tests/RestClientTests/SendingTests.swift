import RestClient
import TestSupport
import Testing

/// The ways to send a call, and the steps before sending.
struct SendingTests {
    private func users() async throws -> (StubbedService, Call<Person>) {
        let api = try await StubbedService()
        try await api.stub("GET", "users/*", .json(200, #"{"name": "Mona"}"#))
        return (api, api.service.get("users/1"))
    }

    @Test @MainActor func `the main actor awaits a call like any function`() async throws {
        let (api, call) = try await users()
        let user = try await call()
        MainActor.assertIsolated()
        #expect(user == Person(name: "Mona"))
        #expect(await api.sent == ["GET https://api.test/v1/users/1"])
    }

    @Test func `a call is sent anew each time`() async throws {
        let (api, call) = try await users()
        try await call()
        try await call()
        #expect(await api.sent.count == 2)
    }

    @Test func `a started call is a request with hooks`() async throws {
        let (_, call) = try await users()
        let name: String? = await waiting(for: "the hook") { notified in
            EngineLoop.shared.submit {
                call.start().onSuccess { notified($0.json["name"]?.string ?? "") }
            }
        }
        #expect(name == "Mona")
        #expect(try await call.start().content(as: Person.self) == Person(name: "Mona"))
    }

    @Test func `a call as a command line has what blocks add, no secrets, and sends nothing`() async throws {
        let (api, call) = try await users()
        await api.service.configure { $0.headers.set("Authorization", "Bearer secret-of-curl") }
        #expect(
            try await call.curl().description
                == "curl 'https://api.test/v1/users/1' -H 'Authorization: Bearer ***'")
        #expect(try await call.curl(mask: nil).description.contains("Bearer secret-of-curl"))
        #expect(await api.sent.isEmpty)
    }

    @Test func `the resource of a call is that of its URL`() async throws {
        let (api, call) = try await users()
        let resource = await call.resource
        #expect(resource === (await api.service.resource("users/1")))
        #expect(try await resource.get(as: Person.self) == Person(name: "Mona"))
    }

    @Test @MainActor func `a completion handler runs where it was made`() async throws {
        let (_, call) = try await users()
        let result: Result<Person, RequestError>? = await waiting(for: "the handler") { notified in
            call.send { result in
                MainActor.assertIsolated()
                notified(result)
            }
        }
        #expect(try result?.get() == Person(name: "Mona"))
    }

    @Test func `updates give what is there, what is loaded and what comes later`() async throws {
        let (api, call) = try await users()
        let resource = await call.resource
        var values: [String] = []
        for await update in call.updates {
            values.append("\(update.event.name): \(update.value?.name ?? "none")")
            if update.value == Person(name: "Mona") {
                await EngineActor.run { resource.overrideLocalContent(.json(["name": "Lisa"])) }
            }
            if update.value == Person(name: "Lisa") { break }
        }
        #expect(values.first == "observer_added: none" && values.last?.hasSuffix("Lisa") == true)
        #expect(values.contains("new_data(network): Mona"))
        #expect(await api.sent.count == 1)
    }

    @Test func `updates of what can't be loaded again are its one answer`() async throws {
        let api = try await StubbedService()
        try await api.stub("POST", "users", .json(201, #"{"name": "New"}"#))
        let call: Call<Person> = api.service.post("users") { Body { Person(name: "New") } }
        var values: [Person?] = []
        for await update in call.updates { values.append(update.value) }
        #expect(values == [Person(name: "New")])
        #expect(await api.sent == ["POST https://api.test/v1/users"])
    }

    @Test func `what can't be encoded is an error, and nothing is sent`() async throws {
        let api = try await StubbedService()
        struct Ratio: Encodable { let value = Double.nan }
        let calls: [(Call<Void>, String)] = [
            (api.service.post("x") { Body { Ratio() } }, "invalid_json_object"),
            (api.service.post("x") { Body("é", charset: "us-ascii") }, "unencodable_text"),
            (api.service.get("x") { Query("q", Double.infinity) }, "invalid_definition"),
            (api.service.get("x") { Header("X", "a\nb") }, "invalid_definition"),
            (api.service.call("a b", "x"), "invalid_definition"),
        ]
        for (call, code) in calls {
            let error = await #expect(throws: RequestError.self) { try await call() }
            #expect(error?.code == code, "\(call)")
            #expect(await call.start().info?.response.error?.code == code)
        }
        #expect(await api.sent == [])
    }

    @Test func `a failure keeps status and body`() async throws {
        let api = try await StubbedService()
        try await api.stub("DELETE", "x", .json(403, #"{"message": "no"}"#))
        let call: Call<Void> = api.service.delete("x")
        let error = try #require(await #expect(throws: RequestError.self) { try await call() })
        #expect(error.httpStatusCode == 403 && error.json["message"]?.string == "no")
    }

    @Test func `a cancelled task cancels the request, or sends nothing`() async throws {
        let api = try await StubbedService()
        try await api.stub("GET", "x", .json(200, "{}"), isHeld: true)
        let call: Call<Tree> = api.service.get("x")
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await call()
        }
        #expect((await early.result.failure as? RequestError)?.code == "request_cancelled")
        #expect(await api.sent == [])
        let task = Task { try await call() }
        await yielding(until: "it is sent") { await !api.sent.isEmpty }
        task.cancel()
        #expect((await task.result.failure as? RequestError)?.code == "request_cancelled")
        #expect(await api.transport.transfersInFlight == 0)
    }

    @Test func `another session sends the call if it is given`() async throws {
        let (api, call) = try await users()
        let other = try await StubbedService()
        try await other.stub("GET", "**", .json(200, #"{"name": "other"}"#))
        #expect(try await call.send(session: other.session) == Person(name: "other"))
        #expect(await api.sent == [])
        #expect(await other.sent == ["GET https://api.test/v1/users/1"])
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
