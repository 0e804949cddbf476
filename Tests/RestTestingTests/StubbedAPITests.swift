import RestClient
import RestTesting
import TestSupport
import Testing

struct StubbedAPITests {
    @Test func `each request gets the next reply, and further ones the last`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "x", .text("1"), .text("2"))
        let call = try api.service.endpoint("x").get(as: String.self)
        #expect(try await [call(), call(), call()] == ["1", "2", "2"])
    }

    @Test func `a stub without replies is an empty success`() async throws {
        let api = try await StubbedAPI()
        let stub = try await api.stub(.delete, "users/octocat")
        let call: Call<Void> = try api.users().delete("octocat")
        #expect(try await call.response().status == 200)
        #expect(await stub.requests.count == 1)
    }

    @Test func `the newest stub that matches answers`() async throws {
        let api = try await StubbedAPI(baseURL: "https://api.test/v1/", name: "people")
        try await api.stub(nil, "**", .text("other"))
        try await api.stub(.get, "x", .text("x"))
        try await api.stub(.get, "x", headers: ["accept": "a/b"], .text("a/b"))
        try await api.stub(.put, "x", body: Array("1".utf8), .text("one"))
        try await api.stub(.get, "https://other.test/*", .text("elsewhere"))
        let x = try api.service.endpoint("x")
        #expect(try await x.get(as: String.self)() == "x")
        #expect(try await x.get(as: String.self).header(.accept, "a/b")() == "a/b")
        #expect(try await x.put(as: String.self) { Body { "1" } }() == "one")
        #expect(try await x.put(as: String.self) { Body { "2" } }() == "other")
        let resource = await api.service.resource(absoluteURL: "https://other.test/y")
        #expect(try await resource.get(as: String.self) == "elsewhere")
        #expect(api.service.name == "people")
    }

    @Test func `replies have every form`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "value", .json(of: User(login: "ada"), status: 201))
        try await api.stub(.get, "file", .file("Fixtures/octocat.json"))
        try await api.stub(.get, "page", .file("Fixtures/hello.md", headers: Headers([("ETag", "\"1\"")])))
        try await api.stub(.get, "broken", .failure(.connectionFailed))
        try await api.stub(.get, "echo") { .text("\($0.headers["Accept"] ?? "none")", type: "text/x") }
        let all = try api.service.endpoint("")
        let value = try await all.get("value", as: User.self).response()
        #expect((value.value, value.status) == (User(login: "ada"), 201))
        let file = try await all.get("file", as: User.self).response()
        #expect((file.value.login, file.headers["Content-Type"]) == ("octocat", "application/json"))
        let page = try await all.get("page", as: String.self).response()
        #expect((page.value, page.headers["ETag"]) == ("# Hello\n", "\"1\""))
        #expect(page.headers["Content-Type"] == "text/markdown; charset=utf-8")
        #expect(try await all.get("echo", as: String.self).header(.accept, "a/b")() == "a/b")
        await #expect { try await all.get("broken", as: Void.self)() } throws: {
            ($0 as? RequestError)?.code == "connection_failed"
        }
        #expect(throws: FileError.self) { try StubbedAPI.Reply.file("Fixtures/nothing.json") }
    }

    @Test func `a reply waits until it is released`() async throws {
        let api = try await StubbedAPI()
        let stub = try await api.stub(.get, "x", .text("1").held())
        let call = try api.service.endpoint("x").get(as: String.self)
        let text = try await api.clock.run {
            async let text = call()
            try await api.clock.advance(by: .zero)
            #expect(await stub.heldRequests == 1)
            await stub.release()
            return try await text
        }
        #expect(text == "1")
        #expect(await api.clock.elapsed == .zero)
    }

    @Test func `what was sent is there to look at`() async throws {
        let api = try await StubbedAPI()
        let stub = try await api.stub(nil, "users/*", .json(octocat))
        let unused = try await api.stub(.get, "teams/*")
        let users = try api.users()
        try await users.put("octocat", as: Void.self) { Body { User(login: "lisa") } }()
        try await users.get("octocat", as: Void.self) { Query("page", 2) }()
        #expect(
            await api.sent == [
                "PUT https://api.test/users/octocat", "GET https://api.test/users/octocat?page=2",
            ])
        #expect(await stub.requests.count == 2)
        let put = try #require(await api.requests(.put, "users/octocat").first)
        #expect(put.bodyText == #"{"login":"lisa"}"#)
        #expect(put.bodyJSON?["login"]?.string == "lisa")
        #expect(try await api.requests(nil, "users/**").count == 2)
        #expect(try await api.requests(.get, "users/octocat?page=3").isEmpty)
        #expect(await api.unusedStubs.map(\.description) == [unused.description])
        try await api.requireAllMatched()
        await api.reset()
        #expect(await api.requests.isEmpty)
        #expect(await api.unusedStubs.isEmpty)
    }

    @Test func `a streamed body is recorded as a server would get it`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.post, "x", .text("done").delayed(by: .seconds(1)))
        let pieces = AsyncStream<[UInt8]> { continuation in
            for text in ["a", "b", "c"] { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
        let call = try api.service.endpoint("x").post(as: String.self) { Body(stream: pieces) }
        #expect(try await api.clock.run { try await call() } == "done")
        #expect(await api.requests.first?.bodyText == "abc")
        #expect(await api.clock.elapsed == .seconds(1))
    }

    @Test func `a request without a stub names the nearest one`() async throws {
        let api = try await StubbedAPI()
        let call = try api.service.endpoint("users").get("octocat", as: User.self)
        await #expect { try await call() } throws: { "\($0)".contains("there are no stubs") }
        await api.reset()
        try await api.stub(.get, "teams", .json("[]"))
        try await api.stub(.get, "user/*", .json(octocat))
        let text =
            "no stub for GET https://api.test/users/octocat; the nearest is GET user/*"
        await #expect { try await call() } throws: { "\($0)".contains(text) }
        await #expect { try await api.requireAllMatched() } throws: { "\($0)" == text }
        try await api.stub(.get, "users/*", headers: ["Accept": "a/b"], .json(octocat))
        _ = try? await call()
        let unmatched = try #require(await api.unmatchedRequests.last)
        #expect(unmatched.nearestStub == "GET users/*")
        #expect(unmatched.description.hasSuffix("which wants other headers or another body"))
        #expect(unmatched.request.method == "GET")
    }

    @Test func `a pattern that is none is an error`() async throws {
        let api = try await StubbedAPI()
        await #expect(throws: PatternError.self) { try await api.stub(.get, "a#b") }
    }
}
