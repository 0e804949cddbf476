import TestSupport
import Testing

@testable import RestEngine

/// The choice of a recording's entry for a request (rules 49.2, 49.4).
@Suite(.leakChecked) @EngineActor
struct ReplayMatchTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/a.har" }

    private func post(
        _ path: String, _ body: String, _ type: String = "application/json", _ headers: Headers = Headers()
    ) -> TransportRequest {
        var headers = headers
        headers.set("Content-Type", type)
        return TransportRequest(
            method: "POST", url: "https://api.test/v1/\(path)", headers: headers, body: Array(body.utf8))
    }

    private func get(_ path: String, _ headers: Headers = Headers()) -> TransportRequest {
        TransportRequest(url: "https://api.test/v1/\(path)", headers: headers)
    }

    /// Records answers, which are the numbers of the requests from 1.
    ///
    /// - Parameter digests: A key under which the test's credentials have different digests, as with nearly
    ///   all keys.
    private func record(
        _ requests: [TransportRequest], _ digests: CredentialDigests? = CredentialDigests(key: [1, 2, 3])
    ) throws -> Tree {
        let fixture = EngineFixture()
        var count = 0
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/**") { _ in
            count += 1
            return .text(200, "\(count)")
        }
        let recorder = try TrafficRecorder(
            path, version: "1", bodyLimit: TrafficRecorder.replayedBytes, digests: digests)
        recorder.listen(to: fixture.engine)
        for request in requests {
            fixture.service.resource(absoluteURL: request.url).request(
                request.body == nil ? .get : .post, headers: request.headers,
                body: request.body.map(RequestBody.bytes))
            fixture.settle()
        }
        try recorder.finish()
        let document = try Tree(json: try WholeFile.read(path, limit: 1 << 20))
        #expect(HARSchema.faults(document) == [])
        return document
    }

    private func answers() throws -> RecordedAnswers { RecordedAnswers(try HARReader.read(path), path: path) }

    private func ask(_ answers: RecordedAnswers, _ request: TransportRequest) -> String? {
        answers.reply(to: request).map { reply in
            (try? reply.result.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? "failed"
        }
    }

    @Test func `49.2 requests with another key or another page are others`() throws {
        let document = try record([
            post("range", #"{"key":"YmV0YQ=="}"#), post("range", #"{"key":"bGltaXQ="}"#),
            get("list?continuation-token=a"), get("list?continuation-token=b"),
            post("chat", #"{"max_tokens":5}"#),
        ])
        #expect(!document.description.contains("***"))
        let answers = try answers()
        #expect(ask(answers, post("range", #"{"key":"bGltaXQ="}"#)) == "2")
        #expect(ask(answers, post("range", #"{"key":"YmV0YQ=="}"#)) == "1")
        #expect(ask(answers, post("range", #"{"key":"bm9uZQ=="}"#)) == nil)
        #expect(ask(answers, get("list?continuation-token=b")) == "4")
        #expect(ask(answers, get("list?continuation-token=c")) == nil)
        #expect(ask(answers, post("chat", #"{"max_tokens":6}"#)) == nil)
    }

    @Test func `49.2 a part is another request than the whole, and another part is another`() throws {
        func part(_ range: String) -> TransportRequest { get("file", ["Range": "bytes=\(range)"]) }
        _ = try record([part("0-9"), get("file"), part("5-12"), part("0-9")])
        let answers = try answers()
        #expect(ask(answers, get("file")) == "2")
        #expect(ask(answers, part("5-12")) == "3")
        #expect(ask(answers, part("0-9")) == "1")
        #expect(ask(answers, part("0-9")) == "4")
        // A server may ignore the field, so the whole content is an answer too.
        #expect(ask(answers, part("90-")) == "2")
        _ = try record([part("0-9")])
        let other = try self.answers()
        #expect(ask(other, get("file")) == nil)
        #expect(
            other.miss(get("file")).hasSuffix(
                "with this Range; entry 1, GET https://api.test/v1/file has another"))
    }

    @Test func `49.2 an answer without content is for requests that name a copy`() throws {
        func entry(_ status: Int) -> String {
            #"{"request":{"method":"GET","url":"https://api.test/v1/a","headers":[]},"response":{"status":\#(status),"content":{"text":"\#(status)"}}}"#
        }
        func recording(_ statuses: Int...) throws -> RecordedAnswers {
            let text = #"{"log":{"entries":[\#(statuses.map(entry).joined(separator: ","))]}}"#
            return RecordedAnswers(try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har")
        }
        let answers = try recording(304, 200, 304)
        #expect(ask(answers, get("a")) == "200")
        #expect(ask(answers, get("a")) == "200")
        #expect(ask(answers, get("a", ["If-None-Match": "\"1\""])) == "304")
        let date = HTTPDate.text(unixSeconds: 0)
        #expect(ask(answers, get("a", ["If-Modified-Since": date])) == "304")
        #expect(ask(try recording(304), get("a")) == "304", "the engine says what is wrong with it")
    }

    @Test func `49.2 of answers to one request those with the same Accept are preferred`() throws {
        func accepting(_ type: String) -> TransportRequest { get("list", ["Accept": type]) }
        _ = try record([accepting("text/csv"), accepting("application/json"), get("list")])
        let answers = try answers()
        #expect(ask(answers, accepting("application/json")) == "2")
        #expect(ask(answers, get("list")) == "3")
        #expect(ask(answers, accepting("text/csv")) == "1")
        #expect(ask(answers, accepting("text/xml")) == "3")
    }

    @Test func `49.4 of credentials the same are preferred, and others will do`() throws {
        let users = ["first-credential", "second-credential"]
        let document = try record(
            users.flatMap { user in
                [
                    get("me", ["X-Api-Key": user]), get("me?api_key=\(user)"),
                    post("login", #"{"password":"\#(user)"}"#), get("me", ["X-Api-Key": user]),
                ]
            })
        #expect(!document.description.contains("credential\""))
        let answers = try answers()
        #expect(ask(answers, get("me", ["X-Api-Key": users[1]])) == "5")
        #expect(ask(answers, get("me", ["X-Api-Key": users[0]])) == "1")
        #expect(ask(answers, get("me", ["X-Api-Key": users[0]])) == "4")
        // The other user's answer doesn't match, although no request has used it yet.
        #expect(ask(answers, get("me", ["X-Api-Key": users[0]])) == "4")
        #expect(ask(answers, get("me?api_key=\(users[1])")) == "6")
        #expect(ask(answers, post("login", #"{"password":"\#(users[1])"}"#)) == "7")
        #expect(ask(answers, post("login", #"{"password":"a new one"}"#)) == "3")
        #expect(ask(answers, get("me", ["X-Api-Key": "a new one"])) == "8")
    }

    @Test func `49.4 a recording has two bytes of a digest for each credential, and a key of its own`() throws
    {
        let requests = [get("me?token=abc", ["Authorization": "Bearer abcdef", "X-Other": "1"]), get("me")]
        let documents = try (0..<2).map { _ in try record(requests, CredentialDigests()) }
        let keys = documents.compactMap { $0["log"]?["_resthost"]?["key"]?.string }
        #expect(keys.count == 2 && keys[0] != keys[1] && keys.allSatisfy { $0.utf8.count == 32 })
        let entries = try #require(documents[0]["log"]?["entries"])
        let digests = (entries[0]?["_credentials"] ?? .null).elements.compactMap(\.string)
        #expect(digests.count == 2 && digests.allSatisfy { $0.utf8.count == 4 }, "\(digests)")
        #expect(entries[1]?["_credentials"] == nil)
        // A recording for readers has no digests.
        let shown = try record(requests, nil)
        #expect(shown["log"]?["_resthost"] == nil && !shown.description.contains("_credentials"))
    }

    @Test func `48.2 49.2 an encoded body isn't written, and its digest tells it from others`() throws {
        func encoded(_ text: String) -> TransportRequest {
            post("a", text, "application/json", ["Content-Encoding": "gzip"])
        }
        let document = try record([encoded("first-canary"), encoded("second-canary"), post("a", "{}")])
        #expect(!document.description.contains("canary"))
        let answers = try answers()
        #expect(ask(answers, encoded("second-canary")) == "2")
        #expect(ask(answers, encoded("first-canary")) == "1")
        #expect(ask(answers, encoded("third-canary")) == nil)
        #expect(ask(answers, post("a", "{}")) == "3")
        let shown = try record([encoded("first-canary")], nil)
        #expect(!shown.description.contains("canary") && !shown.description.contains("_digest"))
        #expect(shown.description.contains("encoded as gzip"))
    }

    @Test func `49.4 in a recording of another program the same credentials are preferred`() throws {
        let entries = ["a", "b"].map { user in
            #"{"request":{"method":"GET","url":"https://api.test/v1/me?token=\#(user)","headers":[]},"response":{"status":200,"content":{"text":"\#(user)"}}}"#
        }
        let text = #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
        let answers = RecordedAnswers(try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har")
        #expect(ask(answers, get("me?token=b")) == "b")
        #expect(ask(answers, get("me?token=a")) == "a")
        #expect(ask(answers, get("me?token=c")) == "b")
    }

    private func form(_ type: String, _ params: String) throws -> RecordedAnswers {
        let text =
            #"{"log":{"entries":[{"request":{"method":"POST","url":"https://api.test/v1/form","postData":{"mimeType":"\#(type)","params":[\#(params)]}},"response":{"status":200,"content":{"text":"yes"}}}]}}"#
        return RecordedAnswers(try HARReader.exchanges(Array(text.utf8), path: "a.har"), path: "a.har")
    }

    @Test(arguments: [
        #"{"name":"a b","value":"x&y é"},{"name":"password","value":"***"}"#,
        #"{"name":"a+b","value":"x%26y%20%C3%A9"},{"name":"password","value":"q"}"#,
    ]) func `49.2 a form of pairs alone is found, with escapes or without`(params: String) throws {
        let type = ComparedRequest.formType
        let answers = try form(type, params)
        #expect(ask(answers, post("form", "a+b=x%26y+%C3%A9&password=p", type)) == "yes")
        #expect(ask(answers, post("form", "a%20b=x%26y%20%c3%a9&password=other", type)) == "yes")
        #expect(ask(answers, post("form", "a+b=other&password=p", type)) == nil)
        #expect(ask(answers, post("form", "a+b=x%26y+%C3%A9", type)) == nil)
    }

    @Test func `49.2 forms in parts are others with other values`() throws {
        func request(_ value: String, file: String) throws -> TransportRequest {
            try TransportRequest(
                method: "POST", url: "https://api.test/v1/form",
                upload: .multipart([
                    MultipartPart(name: "a", source: .bytes(Array(value.utf8))),
                    MultipartPart(name: "token", source: .bytes(Array("secret".utf8))),
                    MultipartPart(name: "f", source: .bytes([0, 1]), filename: file),
                ])
            ).withUploadRead()
        }
        let answers = try form(
            "multipart/form-data",
            #"{"name":"a","value":"1"},{"name":"token","value":"***"},{"name":"f","fileName":"x.bin"}"#)
        #expect(ask(answers, try request("1", file: "x.bin")) == "yes")
        #expect(ask(answers, try request("2", file: "x.bin")) == nil)
        #expect(ask(answers, try request("1", file: "y.bin")) == nil)
    }
}
