import RestEngine
import TestSupport
import Testing

@Suite(.leakChecked) @EngineActor
struct UploadTests {
    let fixture = EngineFixture()
    let folder = TemporaryFolder()

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func send(_ options: RequestOptions, _ method: Method = "POST") throws -> TransportRequest {
        try fixture.stub(method, "a", .response())
        fixture.resource("a").request(method, options)
        fixture.settle()
        return try #require(fixture.transport.requests.last)
    }

    @Test("6.3: a file is bytes from a file")
    func file() throws {
        folder.write("f", bytes: [0, 255])
        let sent = try send(RequestOptions(body: .file(path: path("f"))))
        #expect(sent.body == [0, 255] && sent.upload == nil)
        #expect(sent.headers.values("Content-Type") == ["application/octet-stream"])
        let typed = try send(RequestOptions(body: .file(path: path("f")), contentType: "image/x"))
        #expect(typed.headers.values("Content-Type") == ["image/x"])
    }

    @Test("6.10: a multipart form, written out")
    func multipart() throws {
        folder.write("f.txt", "part-boundary")
        let sent = try send(
            RequestOptions(
                body: .multipart([
                    MultipartPart(name: "a", source: .bytes(Array("1".utf8))),
                    MultipartPart(name: "b", source: .file(path: path("f.txt")), contentType: "text/plain"),
                ])))
        // The boundary doesn't occur in any part.
        #expect(sent.headers.values("Content-Type") == ["multipart/form-data; boundary=part-boundary-1"])
        #expect(
            String(decoding: sent.body ?? [], as: UTF8.self) == """
                --part-boundary-1\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --part-boundary-1\r
                Content-Disposition: form-data; name="b"; filename="f.txt"\r
                Content-Type: text/plain\r
                \r
                part-boundary\r
                --part-boundary-1--\r\n
                """)
    }

    @Test(
        "6.8: whoever says a form's type, its boundary is the transport's",
        arguments: [
            ("multipart/mixed", "multipart/mixed; boundary=part-boundary"),
            (
                "multipart/related; Boundary=\"x;y\"; type=a",
                "multipart/related; type=a; boundary=part-boundary"
            ),
            ("text/plain", "text/plain; boundary=part-boundary"),
        ])
    func typeOfForm(type: String, sent: String) throws {
        let form = RequestBody.multipart([MultipartPart(name: "a", source: .bytes([1]))])
        #expect(try send(RequestOptions(body: form, contentType: type)).headers["Content-Type"] == sent)
        var options = RequestOptions(body: form)
        options.mutate = { $0.headers.set("content-type", type) }
        #expect(try self.send(options).headers.values("Content-Type") == [sent])
        options.mutate = { $0.headers.remove("Content-Type") }
        #expect(
            try self.send(options).headers.values("Content-Type")
                == ["multipart/form-data; boundary=part-boundary"])
    }

    @Test("6.7: a mutation sees an upload and may put bytes in its place")
    func mutation() throws {
        folder.write("f", "x")
        var options = RequestOptions(body: .file(path: path("f")))
        options.mutate = { [path = path("f")] draft in
            #expect(draft.body == nil && draft.upload == .file(path: path))
            draft.body = [7]
            #expect(draft.upload == nil)
        }
        #expect(try send(options).body == [7])
        options.mutate = { $0.upload = nil }
        #expect(try send(options).body == nil)
    }

    @Test("20.9: a file that can't be read has failed already, with its path")
    func unreadable() throws {
        folder.makePipe("pipe")
        let rows = [
            ("none", "No such file or directory"), ("pipe", "it is not a regular file"),
            ("", "Is a directory"),
            ("a\0b", "a path can't contain a NUL"),
        ]
        for (name, reason) in rows {
            let bodies: [RequestBody] = [
                .file(path: path(name)),
                .multipart([MultipartPart(name: "a", source: .file(path: path(name)))]),
            ]
            for body in bodies {
                let request = fixture.resource("a").request("POST", RequestOptions(body: body))
                #expect(request.state == .completed)
                let error = try #require(request.info?.response.error)
                #expect(error.userMessage == "Cannot send request" && error.code == "internal")
                let shown = path(name).replacing("\0", with: "\\x00")
                #expect(
                    error.description
                        == "POST https://api.test/v1/a: Cannot send request: cannot read '\(shown)': \(reason)"
                )
            }
        }
        fixture.settle()
        #expect(fixture.transport.requests.isEmpty && !fixture.resource("a").isRequesting)
    }

    @Test(
        "20.9: a part that would break the form apart has failed already",
        arguments: [
            (
                MultipartPart(name: "a", source: .bytes([]), contentType: "a/b\r\nX: y"),
                "the content type of part 'a' contains a line break or control character"
            ),
            (
                MultipartPart(name: "a\0b", source: .bytes([])),
                "the name 'a\\x00b' of a part contains a NUL"
            ),
            (
                MultipartPart(name: "a", source: .bytes([]), filename: "\0"),
                "the file name '\\x00' of a part contains a NUL"
            ),
        ])
    func malformedPart(part: MultipartPart, message: String) throws {
        let request = fixture.resource("a").request("POST", RequestOptions(body: .multipart([part])))
        guard case .scriptError(let failure)? = request.info?.response.error?.cause else {
            Issue.record("\(String(describing: request.info))")
            return
        }
        #expect(failure.message == message)
    }

    @Test("9.2: a repeat reads the file again, and fails when it has gone")
    func repeating() throws {
        folder.write("f", "1")
        try fixture.stub("PUT", "a", .response())
        let request = fixture.resource("a").request("PUT", RequestOptions(body: .file(path: path("f"))))
        fixture.settle()
        folder.write("f", "2")
        request.repeated().start()
        fixture.settle()
        #expect(fixture.transport.requests.map(\.body) == [[0x31], [0x32]])
        folder.remove("f")
        let last = request.repeated().start()
        fixture.settle()
        #expect(last.info?.response.error?.userMessage == "Cannot send request")
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("a file that goes between the check and the sending is the transport's error")
    func goneLate() throws {
        folder.write("f", "1")
        try fixture.configure { [folder] draft in
            draft.configuration.mutators.append { _ in folder.remove("f") }
        }
        let request = fixture.resource("a").request("PUT", RequestOptions(body: .file(path: path("f"))))
        fixture.settle()
        let error = try #require(request.info?.response.error)
        #expect(error.code == "internal")
        #expect(error.userMessage == "cannot read '\(path("f"))': No such file or directory")
    }

    @Test("RFC 9110 15.4: 307 and 308 send an upload again, 303 drops it", arguments: [303, 307, 308])
    func redirects(status: Int) throws {
        folder.write("f", "1")
        for (method, body) in [(Method.post, RequestBody.file(path: path("f")))] + [
            (.put, .multipart([MultipartPart(name: "a", source: .file(path: path("f")))]))
        ] {
            try fixture.stub(method, "a", .response(status, headers: Headers([("Location", "b")])))
            try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/b", .response())
            fixture.resource("a").request(method, RequestOptions(body: body))
            fixture.settle()
            let sent = fixture.transport.requests.suffix(2)
            #expect(sent.map(\.method) == [method.rawValue, status == 303 ? "GET" : method.rawValue])
            #expect(sent.first?.body?.isEmpty == false)
            #expect(sent.last?.body == (status == 303 ? nil : sent.first?.body))
            #expect(
                sent.last?.headers["Content-Type"]
                    == (status == 303 ? nil : sent.first?.headers["Content-Type"]))
        }
    }

    @Test("stubs match the body that an upload makes")
    func stubCondition() throws {
        folder.write("f", "1")
        let stub = try fixture.stub("POST", "a", when: StubCondition(body: [0x31]), .response(201))
        let request = fixture.resource("a").request("POST", RequestOptions(body: .file(path: path("f"))))
        fixture.settle()
        #expect(request.info?.response.error == nil && stub.requests.count == 1)
    }

    @Test("seeded: a form written out can be taken apart again, whatever is in it")
    func anyForm() throws {
        var random = SeededRandom(seed: 31)
        for _ in 0..<300 {
            let alphabet = "-part-boundary\r\n1é"
            let contents = (0..<1 + random.int(below: 4)).map { _ in
                random.int(below: 2) == 0
                    ? Array(random.text(of: alphabet, upTo: 60).utf8) : random.bytes(upTo: 60)
            }
            let parts = contents.map {
                MultipartPart(
                    name: random.text(of: "a\"\r\n;-é", upTo: 8), source: .bytes($0),
                    filename: random.int(below: 2) == 0 ? random.text(of: "a\"\r\n;-é", upTo: 8) : nil)
            }
            let sent = try send(RequestOptions(body: .multipart(parts)))
            let type = try #require(sent.headers["Content-Type"])
            let boundary = Array("--\(type.dropFirst("multipart/form-data; boundary=".count))".utf8)
            let body = try #require(sent.body)
            #expect(body.starts(with: boundary) && body.suffix(boundary.count + 4).starts(with: boundary))
            var found: [[UInt8]] = []
            var rest = body.dropFirst(boundary.count)
            while let end = rest.indices.first(where: { rest[$0...].starts(with: boundary) }) {
                let part = rest[..<end]
                let blank = try #require(
                    part.indices.first { part[$0...].starts(with: [13, 10, 13, 10]) })
                found.append(Array(part[(blank + 4)...].dropLast(2)))
                rest = rest[end...].dropFirst(boundary.count)
            }
            #expect(found == contents)
        }
    }

    @Test("an idempotency key is the same for the request and its repeats")
    func idempotencyKey() throws {
        try fixture.stub("POST", "a", .response())
        var options = RequestOptions(body: .bytes([1]))
        options.idempotencyKey = "key"
        options.headers = Headers([("idempotency-key", "other")])
        let request = fixture.resource("a").request("POST", options)
        fixture.settle()
        request.repeated().start()
        fixture.settle()
        #expect(
            fixture.transport.requests.map { $0.headers.values("Idempotency-Key") } == [["key"], ["key"]])
    }

    @Test("RFC 9562 5.4: a random key is a UUID of version 4")
    func randomKey() throws {
        var random = SeededRandom(seed: 4)
        var seen: Set<String> = []
        for _ in 0..<1000 {
            let key = IdempotencyKey.random(using: &random)
            let parts = key.split(separator: "-", omittingEmptySubsequences: false)
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4" && "89ab".contains(parts[3].first ?? "x"))
            #expect(key.allSatisfy { "0123456789abcdef-".contains($0) })
            seen.insert(key)
        }
        #expect(seen.count == 1000 && IdempotencyKey.random() != IdempotencyKey.random())
    }
}
