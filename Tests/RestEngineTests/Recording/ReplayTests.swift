import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct ReplayTests {
    private func answers(
        _ entries: [(method: String, url: String, body: String?, answer: String)],
        match: Set<RecordingMatch> = Set(RecordingMatch.allCases)
    ) throws -> RecordedAnswers {
        let texts = entries.map { entry in
            let data =
                entry.body.map { #","postData":{"mimeType":"application/json","text":\#(Tree($0))}"# } ?? ""
            return
                #"{"request":{"method":"\#(entry.method)","url":"\#(entry.url)"\#(data)},"response":{"status":200,"content":{"text":"\#(entry.answer)"}}}"#
        }
        let text = #"{"log":{"entries":[\#(texts.joined(separator: ","))]}}"#
        return RecordedAnswers(
            try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har", match: match)
    }

    private func ask(
        _ answers: RecordedAnswers, _ method: String, _ url: String, _ body: String? = nil
    ) -> String? {
        let request = TransportRequest(
            method: method, url: url, headers: ["Content-Type": "application/json"],
            body: body.map { Array($0.utf8) })
        return answers.reply(to: request).map { reply in
            (try? reply.result.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? "failed"
        }
    }

    @Test func `49.2 49.3 answers of one request come in turn, and the last one stays`() throws {
        let answers = try answers([
            ("GET", "https://a.test/x", nil, "1"), ("GET", "https://a.test/y", nil, "other"),
            ("GET", "https://a.test/x", nil, "2"), ("HEAD", "https://a.test/x", nil, "head"),
        ])
        let got = (0..<4).map { _ in ask(answers, "GET", "https://a.test/x#top") }
        #expect(got == ["1", "2", "2", "2"])
        #expect(answers.unused.map(\.number) == [2, 4])
        #expect(ask(answers, "DELETE", "https://a.test/x") == nil)
    }

    @Test func `49.2 bodies are the same by what they say`() throws {
        let answers = try answers([
            ("POST", "https://a.test/x", #"{"a":1,"b":[2]}"#, "1"),
            ("POST", "https://a.test/x", #"{"a":2}"#, "2"),
        ])
        #expect(ask(answers, "POST", "https://a.test/x", #"{ "b": [2], "a": 1 }"#) == "1")
        #expect(ask(answers, "POST", "https://a.test/x", #"{"a":2}"#) == "2")
        #expect(ask(answers, "POST", "https://a.test/x", #"{"a":3}"#) == nil)
        let loose = try self.answers(
            [("POST", "https://a.test/x", #"{"a":1}"#, "1")], match: [.method, .url])
        #expect(ask(loose, "POST", "https://a.test/x", "anything") == "1")
    }

    @Test func `49.4 what was masked in the recording is the same as what is masked now`() throws {
        let answers = try answers([
            ("POST", "https://a.test/x?token=***", #"{"password":"***","user":"me"}"#, "1")
        ])
        #expect(
            ask(answers, "POST", "https://a.test/x?token=abc", #"{"user":"me","password":"right"}"#) == "1")
    }

    @Test func `49.5 a miss names the nearest`() throws {
        let answers = try answers([
            ("GET", "https://b.test/users/1", nil, "1"), ("GET", "https://a.test/users/1", nil, "1"),
            ("POST", "https://a.test/users", "{}", "2"),
        ])
        func miss(_ method: String, _ url: String, _ body: String? = nil) -> String {
            answers.miss(TransportRequest(method: method, url: url, body: body.map { Array($0.utf8) }))
        }
        #expect(
            miss("GET", "https://a.test/users/12")
                == "a.har has no answer to GET https://a.test/users/12; the nearest is entry 2, GET https://a.test/users/1"
        )
        #expect(
            miss("POST", "https://a.test/users", "x")
                == "a.har has no answer to POST https://a.test/users with this body; entry 3, POST https://a.test/users has another"
        )
        #expect(miss("GET", "https://a.test/?token=abc").contains("token=***"))
        let none = RecordedAnswers([], path: "a.har")
        #expect(none.miss(TransportRequest(url: "https://a.test/")).contains("it has no exchanges"))
    }

    @Test func `49.1 a session that was recorded is answered again the same`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.har"
        func walk(_ fixture: EngineFixture) -> [String] {
            var seen: [String] = []
            func note(_ request: Request) {
                request.onCompletion { info in
                    switch info.response {
                    case .success(let entity):
                        seen.append("\(entity.status ?? 0) \(entity.content.kind) \(entity.text)")
                    case .failure(let error): seen.append("\(error)")
                    }
                }
                fixture.settle()
            }
            note(fixture.resource("moved").load())
            note(fixture.resource("latin").load())
            note(fixture.resource("count").load())
            note(fixture.resource("count").load())
            note(fixture.resource("json").request("POST", json: ["a": 1]))
            note(fixture.resource("missing").load())
            note(fixture.resource("down").load())
            note(fixture.resource("bytes").load())
            return seen
        }
        let live = EngineFixture()
        try live.stub("GET", "moved", .response(302, headers: ["Location": "count"]))
        try live.stub(
            "GET", "latin",
            .response(200, headers: ["Content-Type": "text/plain; charset=iso-8859-1"], body: [0x68, 0xE9]))
        var count = 0
        try live.transport.stub(method: "GET", urlGlob: "count", base: live.service.baseURL) { _ in
            count += 1
            return .text(200, "number \(count)")
        }
        try live.stub("POST", "json", .json(200, #"{"x": "ü"}"#))
        try live.stub("GET", "missing", .json(404, #"{"message": "no"}"#))
        try live.stub("GET", "down", .error(TransportError(.dnsFailed, phase: .dns, message: "no such host")))
        try live.stub("GET", "bytes", .response(200, body: [0, 1, 0xFE]))
        let recorder = try TrafficRecorder(path, version: "1", bodyLimit: TrafficRecorder.replayedBytes)
        recorder.listen(to: live.engine)
        let first = walk(live)
        try recorder.finish()

        let replayed = EngineFixture()
        replayed.transport.replay(RecordedAnswers(try HARReader.read(path), path: path))
        #expect(walk(replayed) == first)
        #expect(first.count == 8)
    }

    /// Two requests that need a login, and a chain after them; returns their outcomes in order.
    private func walkWithLogin(_ fixture: EngineFixture, token first: String) throws -> [String] {
        var token = first
        let gate = RefreshGate()
        try fixture.configure { [unowned fixture] draft in
            draft.configuration.headers.set("Authorization", "Bearer \(token)")
            draft.configuration.decorators.append(
                gate.decorator(when: { $0.httpStatusCode == 401 }) { [unowned fixture] done in
                    let login = fixture.resource("login").request("POST", json: ["user": "me"])
                    login.onCompletion { [unowned fixture] info in
                        token = info.response.entity?.json["access_token"]?.string ?? ""
                        fixture.service.invalidateConfiguration()
                        done(.renewed)
                    }
                })
        }
        var seen: [String] = []
        func note(_ name: String, _ request: Request) {
            request.onCompletion { info in
                seen.append("\(name) \(info.response.error?.code ?? info.response.entity?.text ?? "")")
            }
        }
        note("a", fixture.resource("a").request("GET"))
        note("b", fixture.resource("b").request("GET"))
        fixture.settle()
        let chain = fixture.resource("c").request("GET").chained { [unowned fixture] info in
            guard case .success = info.response else { return .useThisResponse }
            return .passTo(fixture.resource("d").request("POST", json: ["from": "c"]))
        }
        note("chain", chain)
        fixture.settle()
        fixture.service.flushUnusedResources()
        return seen
    }

    private func sent(by fixture: EngineFixture) -> [String] {
        fixture.transport.requests.map { "\($0.method) \($0.url)" }
    }

    @Test func `49.1 49.4 a token is renewed in a replay as it was, and a chain goes on as it did`() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.har"
        let live = EngineFixture()
        try live.transport.stub(method: nil, urlGlob: "**", base: live.service.baseURL) { request in
            if request.url.hasSuffix("/login") { return .json(200, #"{"access_token":"canary-new"}"#) }
            guard request.headers["Authorization"] == "Bearer canary-new" else { return .response(401) }
            return .text(200, "\(request.method) \(request.url.suffix(1))")
        }
        let recorder = try TrafficRecorder(path, version: "1", bodyLimit: TrafficRecorder.replayedBytes)
        recorder.listen(to: live.engine)
        let first = try walkWithLogin(live, token: "canary-old")
        try recorder.finish()
        #expect(first == ["a GET a", "b GET b", "chain POST d"])
        let document = try Tree(json: try WholeFile.read(path, limit: 1 << 20))
        #expect(HARSchema.faults(document) == [] && !document.description.contains("canary"))
        let statuses = (document["log"]?["entries"] ?? .null).elements.map { $0["response"]?["status"]?.int }
        #expect(statuses == [401, 401, 200, 200, 200, 200, 200])

        for token in ["canary-old", "another"] {
            let replayed = EngineFixture()
            replayed.transport.replay(RecordedAnswers(try HARReader.read(path), path: path))
            #expect(try walkWithLogin(replayed, token: token) == first, "\(token)")
            #expect(sent(by: replayed) == sent(by: live), "\(token)")
        }
        // A client with the newer token needs no login.
        let renewed = EngineFixture()
        renewed.transport.replay(RecordedAnswers(try HARReader.read(path), path: path))
        #expect(try walkWithLogin(renewed, token: "canary-new") == first)
        #expect(sent(by: renewed).count == 4)
    }

    @Test func `49.1 as a transport it answers in a later tick, and fails what it doesn't know`() throws {
        let clock = ManualClock()
        let scheduler = Scheduler(clock: clock)
        var misses: [String] = []
        let transport = ReplayTransport(
            try answers([("GET", "https://a.test/x", nil, "1")]), scheduler: scheduler,
            onMiss: { misses.append($0) })
        var results: [TransportResult] = []
        _ = transport.send(TransportRequest(url: "https://a.test/x")) { results.append($0) }
        #expect(results.isEmpty)
        while scheduler.runTick() {}
        _ = transport.send(TransportRequest(url: "https://a.test/y")) { results.append($0) }
        let cancelled = transport.send(TransportRequest(url: "https://a.test/x")) { results.append($0) }
        cancelled.cancel()
        while scheduler.runTick() {}
        #expect(results.count == 2 && misses.count == 1)
        #expect(try results[0].get().body == Array("1".utf8))
        #expect(throws: TransportError.self) { try results[1].get() }
    }

    @Test func `49.6 an entry without its body can't be replayed, and says why`() throws {
        let text =
            #"{"log":{"entries":[{"request":{"method":"GET","url":"https://a.test/x"},"response":{"status":200,"content":{"size":5}}}]}}"#
        let answers = RecordedAnswers(try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har")
        let result = try #require(answers.reply(to: TransportRequest(url: "https://a.test/x"))).result
        do throws(TransportError) {
            _ = try result.get()
            Issue.record("it was answered")
        } catch {
            #expect(
                error.message
                    == "a.har: entry 1, GET https://a.test/x can't be replayed: its body was not recorded")
        }
    }
}
