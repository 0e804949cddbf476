import Platform
import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct RecorderTests {
    let fixture = EngineFixture()
    let folder = TemporaryFolder()

    private func recorder(limit: Int = TrafficRecorder.replayedBytes) throws -> TrafficRecorder {
        let recorder = try TrafficRecorder(folder.path + "/a.har", version: "1", bodyLimit: limit)
        recorder.listen(to: fixture.engine)
        return recorder
    }

    private func document(_ name: String = "a.har") throws -> Tree {
        try Tree(json: try WholeFile.read("\(folder.path)/\(name)", limit: 1 << 20))
    }

    private func entries(_ document: Tree) -> [Tree] {
        Array(document["log"]?["entries"]?.elements ?? Tree.null.elements)
    }

    @Test func `48.1 48.2 each attempt is an entry, and the whole is a HAR 1.2`() throws {
        try fixture.stub(
            "POST", "a",
            .response(307, headers: ["Location": "/v1/b"], body: []))
        try fixture.stub(
            "POST", "b", .json(201, #"{"id": 7}"#))
        try fixture.stub(
            "GET", "image", .response(200, headers: ["Content-Type": "image/gif"], body: [0xFF, 0, 1]))
        try fixture.stub("GET", "down", .error(TransportError(.timeout, phase: .connect, message: "slow")))
        let recorder = try recorder()
        fixture.resource("a").withParam("q", "x y").request(
            "POST", RequestOptions(body: .text("hello", charset: "utf-8")))
        fixture.resource("image").load()
        fixture.resource("down").load()
        fixture.settle()
        try recorder.finish()
        let document = try document()
        #expect(HARSchema.faults(document) == [])
        let entries = entries(document)
        #expect(recorder.entries == 4)
        let statuses = entries.map { $0["response"]?["status"]?.int }
        #expect(statuses.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 200, 201, 307])
        let redirect = try #require(entries.first { $0["response"]?["status"]?.int == 307 })
        #expect(redirect["request"]?["postData"]?["text"]?.string == "hello")
        #expect(redirect["request"]?["queryString"]?[0]?["value"]?.string == "x y")
        #expect(redirect["response"]?["redirectURL"]?.string == "/v1/b")
        let created = try #require(entries.first { $0["response"]?["status"]?.int == 201 })
        #expect(created["_reason"]?.string == "redirect" && created["_attempt"]?.int == 1)
        let image = try #require(entries.first { $0["response"]?["status"]?.int == 200 })
        #expect(image["response"]?["content"]?["encoding"]?.string == "base64")
        let failed = try #require(entries.first { $0["response"]?["status"]?.int == 0 })
        #expect(failed["response"]?["_error"]?.string == "timeout")
    }

    @Test func `48.2 secrets are masked before anything is written`() throws {
        SecretMask.hide("canary-recorder-1")
        try fixture.stub(
            "POST", "a**",
            .response(
                200, headers: ["Set-Cookie": "canary-2", "Content-Type": "application/json"],
                body: Array(#"{"access_token": "canary-3", "text": "canary-recorder-1 canary-header"}"#.utf8))
        )
        let recorder = try recorder()
        fixture.resource("a").withParam("api_key", "canary-4").request(
            "POST", headers: ["Authorization": "Bearer canary-header", "X-A": "canary-recorder-1"],
            body: .json(Tree(pairs: [("password", "canary-5")])))
        fixture.settle()
        try recorder.finish()
        let text = String(decoding: try WholeFile.read(folder.path + "/a.har", limit: 1 << 20), as: UTF8.self)
        #expect(!text.contains("canary"), "\(text)")
        #expect(HARSchema.faults(try document()) == [])
    }

    @Test func `48.2 cookies are listed, without their values`() throws {
        let set = "sid=canary-6; Path=/v1; Domain=api.test; Max-Age=60; Secure; HttpOnly"
        try fixture.stub(
            "GET", "a", .response(200, headers: Headers([("Set-Cookie", set), ("Set-Cookie", "none")])))
        let recorder = try recorder()
        fixture.resource("a").request("GET", headers: ["Cookie": "a=canary-7; canary-8;b=c=canary-9"])
        fixture.settle()
        try recorder.finish()
        let document = try document()
        #expect(HARSchema.faults(document) == [])
        let entry = try #require(entries(document).first)
        let sent = entry["request"]?["cookies"]
        #expect(
            sent?.description
                == #"[{"name":"a","value":"***"},{"name":"","value":"***"},{"name":"b","value":"***"}]"#)
        let cookies = try #require(entry["response"]?["cookies"])
        #expect(cookies.count == 1)
        let cookie = try #require(cookies[0])
        #expect(cookie["name"]?.string == "sid" && cookie["value"]?.string == "***")
        #expect(cookie["path"]?.string == "/v1" && cookie["domain"]?.string == "api.test")
        #expect(cookie["secure"]?.bool == true && cookie["httpOnly"]?.bool == true)
        let end = try #require(InternetTime.text(fixture.engine.scheduler.now + 60, withMilliseconds: true))
        #expect(cookie["expires"]?.string == end)
        #expect(!document.description.contains("canary"))
    }

    @Test func `48.3 after each entry the unfinished file is whole, and at the end it has its name`() throws {
        try fixture.stub("GET", "*", .text(200, "x"))
        folder.write("a.har", "old")
        let recorder = try recorder()
        #expect(HARSchema.faults(try document("a.har.part")) == [])
        for number in 1...3 {
            fixture.resource("\(number)").load()
            fixture.settle()
            #expect(recorder.entries == number)
            let document = try document("a.har.part")
            #expect(HARSchema.faults(document) == [] && entries(document).count == number)
        }
        #expect(try WholeFile.read(folder.path + "/a.har", limit: 100) == Array("old".utf8))
        try recorder.finish()
        #expect(folder.names(in: "") == ["a.har"])
        fixture.resource("4").load()
        fixture.settle()
        #expect(entries(try document()).count == 3)
    }

    @Test func `48.4 longer bodies are left out, and say so`() throws {
        try fixture.stub("POST", "a", .text(200, String(repeating: "y", count: 11)))
        let recorder = try recorder(limit: 10)
        fixture.resource("a").request(
            "POST", body: .text(String(repeating: "x", count: 11), charset: "utf-8"))
        fixture.settle()
        try recorder.finish()
        let document = try document()
        let entry = try #require(entries(document).first)
        #expect(HARSchema.faults(document) == [])
        #expect(
            entry["request"]?["postData"]?["text"]?.string == "" && entry["request"]?["bodySize"]?.int == 11)
        let content = entry["response"]?["content"]
        #expect(
            content?["text"] == nil && content?["_truncated"]?.bool == true && content?["size"]?.int == 11)
    }

    @Test func `48.4 a long body is masked elsewhere, and the end waits for all, in order`() throws {
        let body = Array(String(repeating: "?token=abc&", count: 20_000).utf8)
        for number in 0..<4 {
            try fixture.stub("GET", "\(number)", .response(200, body: number % 2 == 0 ? body : [0x61]))
        }
        let recorder = try recorder()
        var start = ClockReading.threadTime
        _ = SecretMask.standard.body(body, nil)
        let masking = ClockReading.threadTime - start
        start = ClockReading.threadTime
        for number in 0..<4 {
            fixture.resource("\(number)").load()
            fixture.settle()
        }
        #expect(ClockReading.threadTime - start < masking)
        try recorder.finish()
        let text = try WholeFile.read(folder.path + "/a.har", limit: 8 << 20)
        #expect(!String(decoding: text, as: UTF8.self).contains("abc"))
        let sizes = entries(try Tree(json: text)).map { $0["response"]?["content"]?["size"]?.int }
        #expect(sizes == [Int64(body.count), 1, Int64(body.count), 1])
    }

    @Test func `48.3 one that comes to nothing leaves what was there`() throws {
        folder.write("a.har", "old")
        let recorder = try recorder()
        recorder.abandon()
        #expect(folder.names(in: "") == ["a.har"] && !fixture.engine.hasListeners(of: .attempt))
        #expect(try WholeFile.read(folder.path + "/a.har", limit: 100) == Array("old".utf8))
    }

    @Test func `a file that can't be written is an error at once`() {
        #expect(throws: FileError.self) {
            _ = try TrafficRecorder(folder.path + "/no/a.har", version: "1", bodyLimit: 1)
        }
        #expect(throws: FileError.self) { _ = try TrafficRecorder(folder.path, version: "1", bodyLimit: 1) }
    }

    @Test func `48.2 the parts of a form and files are named, not read`() throws {
        folder.write("up.txt", "content of the file")
        try fixture.stub("POST", "*", .response(204))
        let recorder = try recorder()
        fixture.resource("a").request("POST", body: .file(path: folder.path + "/up.txt"))
        fixture.resource("b").request(
            "POST",
            body: .multipart([
                MultipartPart(name: "password", source: .bytes(Array("canary".utf8))),
                MultipartPart(name: "f", source: .file(path: folder.path + "/up.txt")),
            ]))
        fixture.settle()
        try recorder.finish()
        let document = try document()
        #expect(HARSchema.faults(document) == [])
        let data = entries(document).compactMap { $0["request"]?["postData"] }
        #expect(data[0]["comment"]?.string?.hasSuffix("/up.txt") == true)
        #expect(data[1]["params"]?[0]?["value"]?.string == "***")
        #expect(data[1]["params"]?[1]?["fileName"]?.string == "up.txt")
        #expect(!document.description.contains("content of the file"))
    }
}
