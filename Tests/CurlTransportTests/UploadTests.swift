import CurlTransport
import RestEngine
import TestSupport
import Testing

@EngineActor
struct UploadTests {
    let transport = CurlTransport()
    let folder = TemporaryFolder()
    let peer = LoopbackPeer { _ in PeerConnection.response() }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    private func file(_ count: Int, _ name: String = "file.bin") -> String {
        folder.write(name, bytes: bytes(count))
        return "\(folder.path)/\(name)"
    }

    private func send(
        _ upload: Upload, _ method: String = "POST", headers: [(String, String)] = [], url: String? = nil
    ) async throws -> PeerRequest {
        let request = TransportRequest(
            method: method, url: url ?? peer.baseURL, headers: Headers(headers), upload: upload)
        _ = try await transport.answer(to: request).get()
        return try #require(peer.requests.last)
    }

    // MARK: A file

    @Test("6.10: a file arrives whole, with its length", arguments: [0, 1, 70_000, 500_000])
    func wholeFile(count: Int) async throws {
        let path = file(count)
        for _ in 0..<2 {
            let request = TransportRequest(method: "PUT", url: peer.baseURL, upload: .file(path: path))
            let response = try await transport.answer(to: request).get()
            let seen = try #require(peer.requests.last)
            #expect(response.timings.bytesSent == Int64(seen.headBytes + count))
            #expect(seen.body == bytes(count))
            #expect(seen.headers.values("Content-Length") == ["\(count)"])
            #expect(!seen.headers.contains("Expect") && !seen.headers.contains("Transfer-Encoding"))
        }
        #expect(peer.connectionCount == 1)
    }

    @Test("what can't be read is an error, and nothing is sent")
    func unreadable() async {
        folder.makePipe("pipe")
        let reasons = [
            ("none", "No such file or directory"), ("", "Is a directory"),
            ("pipe", "it is not a regular file"),
        ]
        for (name, reason) in reasons {
            let path = "\(folder.path)/\(name)"
            let uploads: [Upload] = [
                .file(path: path), .multipart([MultipartPart(name: "a", source: .file(path: path))]),
            ]
            for upload in uploads {
                let request = TransportRequest(method: "POST", url: peer.baseURL, upload: upload)
                let error = await transport.answer(to: request).error
                #expect(error?.code == .internal && error?.phase == .send)
                #expect(error?.message == "cannot read '\(path)': \(reason)")
            }
        }
        #expect(peer.connectionCount == 0)
    }

    @Test("a file that becomes shorter while it is sent ends the transfer", arguments: [false, true])
    func shrinking(asForm: Bool) async throws {
        folder.write("large", "")
        folder.resize("large", to: 64 << 20)
        let path = "\(folder.path)/large"
        let hasHead = Gate()
        let isCut = Gate()
        let peer = LoopbackPeer(readsBodies: false) { _, connection in
            hasHead.open()
            isCut.wait()
            connection.stall()
        }
        let upload: Upload =
            asForm ? .multipart([MultipartPart(name: "a", source: .file(path: path))]) : .file(path: path)
        let request = TransportRequest(method: "POST", url: peer.baseURL, upload: upload)
        let result: TransportResult? = await TestSupport.waiting(for: "the transfer's end") { notified in
            let transfer = transport.send(request) { notified($0) }
            Task {
                await hasHead.opened()
                let progress = transfer.progress
                let whole = Int64(64 << 20)
                // A form also has boundaries around the file.
                let total = progress.bytesToSend ?? 0
                #expect(asForm ? total > whole : total == whole)
                #expect(progress.bytesSent < whole)
                folder.resize("large", to: 1)
                isCut.open()
            }
        }
        let error = try #require(result?.error)
        #expect(error.code == .internal && error.phase == .send)
        #expect(error.message == "cannot read '\(path)': it became shorter while it was read")
        // The handle can still be used.
        #expect(try await send(.file(path: file(10))).body == bytes(10))
    }

    @Test("a file that becomes longer is sent as long as it was")
    func growing() async throws {
        let path = file(100_000)
        let request = TransportRequest(method: "POST", url: peer.baseURL, upload: .file(path: path))
        let result: TransportResult? = await TestSupport.waiting(for: "the transfer's end") { notified in
            _ = transport.send(request) { notified($0) }
            folder.resize("file.bin", to: 200_000)
        }
        #expect(try result?.get().status == 200)
        #expect(peer.requests.last?.body == bytes(100_000))
    }

    // MARK: A form

    /// The parts of a body, by the boundary that the Content-Type names.
    private func parts(_ seen: PeerRequest) throws -> [String] {
        let type = try #require(seen.headers["Content-Type"])
        let boundary = try #require(type.split(separator: "boundary=").last.map(String.init))
        let text = seen.text
        #expect(text.hasPrefix("--\(boundary)\r\n") && text.hasSuffix("\r\n--\(boundary)--\r\n"))
        return text.split(separator: "--\(boundary)").dropLast().map { String($0.dropFirst().dropLast()) }
    }

    @Test("6.10: parts keep their order, names and types")
    func form() async throws {
        let path = file(3, "name \"x\".txt")
        let seen = try await send(
            .multipart([
                MultipartPart(name: "plain", source: .bytes(Array("é".utf8))),
                MultipartPart(name: "file", source: .file(path: path)),
                MultipartPart(
                    name: "both", source: .bytes([]), filename: "b.png", contentType: "image/x; a=b"),
                MultipartPart(name: "named", source: .bytes([0x61]), filename: "a.html"),
                MultipartPart(name: "line\r\n\"break\"", source: .bytes([0x62]), contentType: "text/plain"),
            ]))
        #expect(seen.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(seen.headers.values("Content-Length") == ["\(seen.body.count)"])
        #expect(!seen.headers.contains("Expect"))
        let disposition = "Content-Disposition: form-data; name="
        #expect(
            try parts(seen) == [
                "\(disposition)\"plain\"\r\n\r\né",
                "\(disposition)\"file\"; filename=\"name %22x%22.txt\"\r\nContent-Type: application/octet-stream\r\n\r\n"
                    + String(decoding: bytes(3), as: UTF8.self),
                "\(disposition)\"both\"; filename=\"b.png\"\r\nContent-Type: image/x; a=b\r\n\r\n",
                "\(disposition)\"named\"; filename=\"a.html\"\r\nContent-Type: application/octet-stream\r\n\r\na",
                "\(disposition)\"line%0D%0A%22break%22\"\r\nContent-Type: text/plain\r\n\r\nb",
            ])
    }

    @Test("a stub shows the form that is sent, but for its boundary")
    func sameAsStub() async throws {
        let upload = Upload.multipart([
            MultipartPart(name: "a\"\r\n", source: .bytes([1, 2])),
            MultipartPart(name: "f", source: .file(path: file(9, "x.y")), contentType: "a/b"),
            MultipartPart(name: "", source: .bytes([]), filename: "q\"q"),
        ])
        let seen = try await send(upload, headers: [("Content-Type", "multipart/related; x=y; boundary=old")])
        let scheduler = Scheduler(clock: ManualClock())
        let stubs = StubTransport(scheduler: scheduler)
        _ = stubs.send(
            TransportRequest(
                method: "POST", url: peer.baseURL,
                headers: Headers([("Content-Type", "multipart/related; x=y; boundary=old")]), upload: upload)
        ) { _ in }
        while scheduler.runTick() {}
        let shown = try #require(stubs.requests.last)
        let types = try [seen.headers, shown.headers].map { try #require($0["Content-Type"]) }
        let boundaries = try types.map {
            try #require($0.split(separator: "boundary=").last.map(String.init))
        }
        #expect(types.allSatisfy { $0.hasPrefix("multipart/related; x=y; boundary=") })
        #expect(!types.contains { $0.contains("old") })
        let body = String(decoding: try #require(shown.body), as: UTF8.self)
        #expect(seen.text == body.replacing(boundaries[1], with: boundaries[0]))
    }

    @Test("large parts are streamed, with other requests between on the same handle")
    func largeForm() async throws {
        let path = file(300_000)
        for method in ["POST", "PUT", "PATCH", "REPORT"] {
            let seen = try await send(
                .multipart([
                    MultipartPart(name: "a", source: .file(path: path)),
                    MultipartPart(name: "b", source: .bytes(bytes(300_000))),
                ]), method)
            #expect(seen.method == method)
            #expect(seen.body.count > 600_000 && seen.headers["Content-Length"] == "\(seen.body.count)")
            #expect(Self.contains(seen.body, bytes(300_000)))
            #expect(try await send(.file(path: path), "PUT").body == bytes(300_000))
            let plain = TransportRequest(method: "PUT", url: peer.baseURL, body: bytes(100_000))
            _ = try await transport.answer(to: plain).get()
            #expect(peer.requests.last?.body == bytes(100_000))
            #expect(peer.requests.last?.headers.contains("Content-Type") == false)
            _ = try await transport.answer(to: TransportRequest(url: peer.baseURL)).get()
            #expect(peer.requests.last?.method == "GET" && peer.requests.last?.body == [])
        }
        #expect(peer.connectionCount == 1)
    }

    private static func contains(_ bytes: [UInt8], _ run: [UInt8]) -> Bool {
        // The run's last byte isn't ASCII, so the closing boundary behind it doesn't contain it.
        guard let end = bytes.lastIndex(of: run[run.count - 1]), end >= run.count - 1 else { return false }
        return bytes[(end - run.count + 1)...end].elementsEqual(run)
    }

    // MARK: Limits

    private func failure(
        _ upload: Upload, _ peer: LoopbackPeer, _ set: (inout Timeouts) -> Void
    ) async throws -> TransportError {
        var request = TransportRequest(method: "POST", url: peer.baseURL, upload: upload)
        set(&request.timeouts)
        return try #require(await transport.answer(to: request).error)
    }

    @Test("a form that nobody takes is an idle timeout")
    func idle() async throws {
        let peer = LoopbackPeer(readsBodies: false) { _, connection in connection.stallWithoutReading() }
        defer { peer.close() }
        let form = Upload.multipart([
            MultipartPart(name: "a", source: .bytes([UInt8](repeating: 0, count: 32 << 20)))
        ])
        #expect(try await failure(form, peer) { $0.idle = .seconds(0.05) }.phase == .idle)
    }

    @Test("the wait for the response to a form is not idle")
    func waiting() async throws {
        let peer = LoopbackPeer { _, connection in connection.stall() }
        let form = Upload.multipart([
            MultipartPart(name: "a", source: .bytes(bytes(200_000))),
            MultipartPart(name: "b", source: .bytes([])),
        ])
        let error = try await failure(form, peer) {
            $0.idle = .seconds(0.02)
            $0.firstByte = .seconds(0.1)
        }
        #expect(error.code == .timeout && error.phase == .firstByte)
    }

    @Test("a form that was cancelled leaves nothing behind")
    func cancelling() async throws {
        let hasHead = Gate()
        let peer = LoopbackPeer(readsBodies: false) { _, connection in
            hasHead.open()
            connection.stall()
        }
        let form = Upload.multipart([
            MultipartPart(name: "a", source: .bytes([UInt8](repeating: 0, count: 32 << 20)))
        ])
        let transfer = transport.send(TransportRequest(method: "POST", url: peer.baseURL, upload: form)) {
            _ in
            Issue.record("told after cancel")
        }
        await hasHead.opened()
        transfer.cancel()
        _ = try await send(.file(path: file(5)))
    }
}
