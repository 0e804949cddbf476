import RestClient
import RestTesting
import Testing

struct TestClockTests {
    @Test func `four attempts with waits take no real time`() async throws {
        let api = try await StubbedAPI()
        let stub = try await api.stub(
            .get, "users/octocat", .response(503), .response(503), .response(503), .json(octocat))
        let users = try api.users()
        let user = try await api.clock.run { try await users.get("octocat", as: User.self)() }
        #expect(user.login == "octocat")
        #expect(await stub.requests.count == 4)
        #expect(await api.clock.elapsed == .seconds(1 + 2 + 4))
    }

    @Test func `the same code takes the same time in each run`() async throws {
        var times: Set<Duration> = []
        for _ in 0..<50 {
            let api = try await StubbedAPI()
            try await api.stub(.get, "users/*") { request in
                .json(octocat).delayed(by: request.url.hasSuffix("slow") ? .seconds(7) : .seconds(2))
            }
            let users = try api.users()
            let order = try await api.clock.run {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for name in ["slow", "quick"] {
                        group.addTask {
                            try await users.get("\(name)", as: User.self)()
                            return "\(name) after \(await api.clock.elapsed)"
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(order == ["quick after 2.0 seconds", "slow after 7.0 seconds"])
            times.insert(await api.clock.elapsed)
        }
        #expect(times == [.seconds(7)])
    }

    @Test func `a timeout comes before a slow answer`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .json(octocat).delayed(by: .seconds(60)))
        let call = try api.service.endpoint("users").get("octocat", as: User.self).timeout(.seconds(5))
        await #expect { try await api.clock.run { try await call() } } throws: {
            ($0 as? RequestError)?.code == "timeout"
        }
        #expect(await api.clock.elapsed == .seconds(5))
    }

    @Test func `the limit for the first byte ends a wait too`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .json(octocat).held())
        await EngineActor.run { api.service.configure { $0.timeouts.firstByte = .seconds(3) } }
        let call = try api.service.endpoint("users").get("octocat", as: User.self)
        await #expect { try await api.clock.run { try await call() } } throws: {
            ($0 as? RequestError)?.code == "timeout"
        }
        #expect(await api.clock.elapsed == .seconds(3))
    }

    @Test func `code that waits for nothing takes no time`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .json(octocat))
        let users = try api.users()
        for _ in 0..<20 { try await api.clock.run { try await users.get("octocat", as: User.self)() } }
        // The call waits for no later time, so it needs no driver.
        try await users.get("octocat", as: User.self)()
        #expect(await api.clock.elapsed == .zero)
        #expect(await api.requests.count == 21)
    }

    @Test func `a token is renewed by a call of its own`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "notes", .json("{}", status: 401).delayed(by: .seconds(1)), .json("[1]"))
        try await api.stub(.post, "login", .json(#"{"token": "t"}"#).delayed(by: .seconds(2)))
        let logIn = try api.service.endpoint("login").post(as: Tree.self)
        await EngineActor.run {
            let gate = RefreshGate()
            api.service.configure("/notes") { configuration in
                configuration.decorators.append(
                    gate.decorator(when: { $0.httpStatusCode == 401 }) { _ = try await logIn() })
            }
        }
        let notes = try api.service.endpoint("notes").get(as: [Int].self)
        #expect(try await api.clock.run { try await notes() } == [1])
        #expect(await api.sent.count == 3)
        #expect(await api.clock.elapsed == .seconds(3))
    }

    @Test func `updates of a call wait for the clock too`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .json(octocat).delayed(by: .seconds(3)))
        let call = try api.users().get("octocat", as: User.self)
        let seen = try await api.clock.run {
            for await update in call.updates where update.value != nil { return await api.clock.elapsed }
            return .zero
        }
        #expect(seen == .seconds(3))
    }

    @Test func `a resource gets old when the test says so`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .json(octocat))
        await EngineActor.run { api.service.configure { $0.expirationTime = .minutes(5) } }
        let user = await api.service.resource("/users/octocat")
        _ = try await user.get()
        try await api.clock.advance(by: .minutes(5) - .seconds(1))
        _ = try await user.get()
        #expect(await api.requests.count == 1)
        try await api.clock.advance(by: .seconds(2))
        _ = try await user.get()
        #expect(await api.requests.count == 2)
        #expect(await api.clock.now == 1_000_301)
    }

    @Test func `a move runs each timer at its time`() async throws {
        let clock = await TestClock(startingAt: 50)
        let api = try await StubbedAPI(clock: clock)
        try await api.stub(.get, "users/*", .json(octocat).delayed(by: .seconds(2)))
        let users = try api.users()
        let times = try await clock.run {
            async let first: User = users.get("a")()
            try await clock.advance(by: .seconds(1))
            async let second: User = users.get("b")()
            try await clock.advance(by: .milliseconds(1500))
            let early = await api.requests.count
            _ = try await (first, second)
            return (early, await clock.elapsed)
        }
        #expect(times == (2, .seconds(3)))
        #expect(await clock.now == 53)
    }

    @Test func `two engines share a clock`() async throws {
        let clock = await TestClock()
        let first = try await StubbedAPI(baseURL: "https://one.test", clock: clock)
        let second = try await StubbedAPI(baseURL: "https://two.test", clock: clock)
        try await first.stub(.get, "x", .text("1").delayed(by: .seconds(1)))
        try await second.stub(.get, "x", .text("2").delayed(by: .seconds(2)))
        let calls = try [first, second].map { try $0.service.endpoint("x").get(as: String.self) }
        let texts = try await clock.run { [try await calls[0](), try await calls[1]()] }
        #expect(texts == ["1", "2"])
        #expect(await clock.elapsed == .seconds(3))
    }

    @Test func `many clocks run side by side`() async throws {
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for number in 1...20 {
                group.addTask {
                    let api = try await StubbedAPI()
                    try await api.stub(.get, "x", .text("1").delayed(by: .seconds(number)))
                    let call = try api.service.endpoint("x").get(as: String.self)
                    try await api.clock.run { for _ in 0..<10 { try await call() } }
                    return await api.clock.elapsed / number
                }
            }
            for try await time in group { #expect(time == .seconds(10)) }
        }
    }

    @Test func `large bodies on other threads hold the clock`() async throws {
        let api = try await StubbedAPI()
        let text = "[" + Array(repeating: octocat, count: 50_000).joined(separator: ",") + "]"
        try await api.stub(.get, "users", .json(text).delayed(by: .seconds(1)))
        let call = try api.users().get(as: [User].self).timeout(.seconds(2))
        let users = try await api.clock.run { try await call() }
        #expect(users.count == 50_000)
        #expect(await api.clock.elapsed == .seconds(1))
    }

    // MARK: Waits in vain

    @Test func `an answer that is held for ever is named`() async throws {
        let api = try await StubbedAPI()
        await EngineActor.run { api.clock.patience = .milliseconds(200) }
        try await api.stub(.get, "users/octocat", .json(octocat).held())
        let call = try api.patient().get("users/octocat", as: User.self)
        await #expect {
            try await api.clock.run(upTo: .seconds(10)) { try await call() }
        } throws: { error in
            let text = "\(error)"
            return (error as? TestClockError)?.reason == .standstill
                && text.contains("the stub GET users/octocat holds 1 request: release() lets go")
        }
    }

    @Test func `code that ignores its cancellation is left`() async throws {
        let clock = await TestClock()
        await EngineActor.run { clock.patience = .milliseconds(200) }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let inner = Task { for await _ in stream {} }
        await #expect(throws: TestClockError.self) {
            try await clock.run { await inner.value }
        }
        continuation.finish()
    }

    @Test func `repetitions without an end meet the limit`() async throws {
        let api = try await StubbedAPI()
        try await api.stub(.get, "users/octocat", .response(404).delayed(by: .hours(1)))
        let call = try api.patient().get("users/octocat", as: User.self)
        await #expect {
            try await api.clock.run(upTo: .hours(24)) {
                while true {
                    _ = try? await call()
                    try Task.checkCancellation()
                }
            }
        } throws: { ($0 as? TestClockError)?.reason == .limit }
        #expect(await api.clock.elapsed == .hours(24))
    }

    @Test func `work that begins anew for ever is an error`() async throws {
        let api = try await StubbedAPI()
        await EngineActor.run {
            api.clock.patience = .milliseconds(200)
            again(api.engine.scheduler)
        }
        await #expect {
            try await api.clock.advance(by: .seconds(1))
        } throws: { ($0 as? TestClockError)?.reason == .restless }
        await EngineActor.run { api.engine.scheduler.clear() }
    }

    @EngineActor
    private func again(_ scheduler: Scheduler) { scheduler.nextTick { [self] in again(scheduler) } }

    @Test func `cancelling the test cancels the code`() async throws {
        let api = try await StubbedAPI()
        let stub = try await api.stub(.get, "users/octocat", .json(octocat).held())
        let call = try api.patient().get("users/octocat", as: User.self)
        let run = Task { try await api.clock.run { try await call() } }
        try await api.clock.advance(by: .zero)
        while await stub.heldRequests == 0 { await Task.yield() }
        run.cancel()
        await #expect { try await run.value } throws: { ($0 as? RequestError)?.code == "request_cancelled" }
    }
}
