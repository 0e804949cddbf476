public import RestEngine
import Testing

/// Checks the contract of every ``Transport`` with the engine, against a server that answers like
/// ``makePeer()``.
///
/// A check returns sentences about errors; a test expects none:
///
///     #expect(await TransportConformance.check(peer.baseURL) { CurlTransport() } == [])
@EngineActor
public struct TransportConformance {
    private let base: String
    private let transport: any Transport
    private var violations: [String] = []

    public static func check(_ baseURL: String, _ make: () -> any Transport) async -> [String] {
        var kit = TransportConformance(base: baseURL, transport: make())
        await kit.checkAnswers()
        await kit.checkUploads()
        await kit.checkCompletions()
        await kit.checkLimits()
        await kit.checkReceivers()
        return kit.violations
    }

    /// A server with the routes of the kit: `/echo` answers 200 with method and body, and with the request's
    /// `X-Echo` values; `/missing` 404; `/moved` 302 to `/echo`; `/large` 1,000 bytes; `/stall` nothing.
    public nonisolated static func makePeer() -> LoopbackPeer {
        LoopbackPeer { request, connection in
            switch request.path {
            case "/echo":
                let echoes = request.headers.values("X-Echo").map { ("X-Echo", $0) }
                connection.respond(
                    headers: echoes,
                    body: request.method == "HEAD" ? [] : Array(request.method.utf8) + request.body)
            case "/missing": connection.respond(404, text: "none")
            case "/moved": connection.respond(302, headers: [("Location", "/echo")])
            case "/large": connection.respond(body: [UInt8](repeating: 0x61, count: 1000))
            default: connection.stall()
            }
        }
    }

    /// The calls of a completion.
    @EngineActor
    private final class Notes {
        var hasReturned = false
        var wasLate = false
        var calls = 0
    }

    private mutating func expect(_ isRight: Bool, _ sentence: String) {
        if !isRight { violations.append(sentence) }
    }

    private mutating func checkAnswers() async {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"] {
            for body: [UInt8]? in [nil, [0x62, 0x00, 0xFF]] {
                let result = await transport.answer(
                    to: TransportRequest(method: method, url: base + "/echo", body: body))
                let expected = Array(method.utf8) + (body ?? [])
                expect(
                    (try? result.get().body) == expected,
                    "\(method) with \(body?.count ?? 0) bytes arrives as it is")
            }
        }
        let headers = Headers([("X-Echo", "a"), ("X-Echo", ""), ("X-Echo", "c: d")])
        let echo = await transport.answer(to: TransportRequest(url: base + "/echo", headers: headers))
        let echoed = (try? echo.get().headers.values("x-echo")) ?? []
        expect(echoed == ["a", "", "c: d"], "repeated and empty headers keep their order, both ways")
        for (path, status) in [("/missing", 404), ("/moved", 302)] {
            let result = await transport.answer(to: TransportRequest(url: base + path))
            expect(
                (try? result.get().status) == status,
                "status \(status) is an answer, not an error or a redirect")
        }
    }

    private mutating func checkUploads() async {
        let folder = TemporaryFolder()
        folder.write("file", "content")
        let path = "\(folder.path)/file"
        func send(_ upload: Upload) async -> TransportResult {
            await transport.answer(
                to: TransportRequest(method: "PUT", url: base + "/echo", upload: upload))
        }
        let file = await send(.file(path: path))
        expect((try? file.get().body) == Array("PUTcontent".utf8), "a file arrives as it is")
        let form = await send(
            .multipart([
                MultipartPart(name: "a", source: .bytes([0x62])),
                MultipartPart(name: "c", source: .file(path: path)),
            ]))
        let text = (try? form.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? ""
        expect(
            text.contains("; name=\"a\"\r\n\r\nb\r\n--")
                && text.contains("; name=\"c\"; filename=\"file\"\r\n")
                && text.contains("\r\n\r\ncontent\r\n--"),
            "a form arrives with its parts")
        let missing = await send(.file(path: path + "-none"))
        expect(
            missing.error?.message == "cannot read '\(path)-none': No such file or directory",
            "a file that can't be read is an error that names it")
    }

    private mutating func checkCompletions() async {
        for url in [base + "/echo", "nonsense"] {
            let notes = Notes()
            let notified = Gate()
            let transfer = transport.send(TransportRequest(url: url)) { _ in
                notes.calls += 1
                notes.wasLate = notes.hasReturned
                notified.open()
            }
            notes.hasReturned = true
            await notified.opened()
            transfer.cancel()
            expect(notes.wasLate, "a completion does not run before send returns")
            _ = await transport.answer(to: TransportRequest(url: base + "/echo"))
            expect(notes.calls == 1, "a completion runs once")
        }
        var calls = 0
        for path in ["/echo", "/stall"] {
            let transfer = transport.send(TransportRequest(url: base + path)) { _ in calls += 1 }
            transfer.cancel()
            transfer.cancel()
        }
        _ = await transport.answer(to: TransportRequest(url: base + "/echo"))
        expect(calls == 0, "a completion does not run after cancel")
        await checkReentrance()
    }

    private mutating func checkReentrance() async {
        let transport = transport
        let base = base
        var other: (any Transfer)?
        var otherCalls = 0
        let result: TransportResult? = await waiting(for: "the answer to a completion's request") {
            notified in
            other = transport.send(TransportRequest(url: base + "/stall")) { _ in otherCalls += 1 }
            _ = transport.send(TransportRequest(url: base + "/echo")) { _ in
                other?.cancel()
                _ = transport.send(TransportRequest(url: base + "/echo")) { notified($0) }
            }
        }
        expect((try? result?.get().status) == 200, "a completion may send")
        expect(otherCalls == 0, "a completion may cancel")
    }

    private mutating func checkReceivers() async {
        for (path, bytes) in [("/large", 1000), ("/echo", 0)] {
            let receiver = PiecesReceiver()
            var request = TransportRequest(method: "HEAD", url: base + path)
            if bytes > 0 { request.method = "GET" }
            request.receiver = receiver
            let result = await transport.answer(to: request)
            expect((try? result.get().body) == [], "a body that a receiver got is not in the response")
            expect(receiver.heads.map(\.status) == [200], "a receiver is told once of a success")
            expect(receiver.bytes.count == bytes, "a receiver gets the whole body")
        }
        let receiver = PiecesReceiver()
        var request = TransportRequest(url: base + "/missing")
        request.receiver = receiver
        let failure = await transport.answer(to: request)
        expect(
            (try? failure.get().body) == Array("none".utf8) && receiver.heads.isEmpty,
            "the body of an error comes whole")
        await checkHolding()
    }

    private mutating func checkHolding() async {
        let receiver = PiecesReceiver()
        receiver.holds = true
        var request = TransportRequest(url: base + "/large")
        request.receiver = receiver
        var result: TransportResult?
        let (first, notified) = (Gate(), Gate())
        receiver.onPiece = { first.open() }
        let transfer = transport.send(request) {
            result = $0
            notified.open()
        }
        await first.opened()
        for _ in 0..<3 { _ = await transport.answer(to: TransportRequest(url: base + "/echo")) }
        expect(receiver.calls == 1 && result == nil, "who holds a body gets no more of it, and no end")
        receiver.holds = false
        transfer.resume()
        await notified.opened()
        expect(receiver.bytes.count == 1000, "what was held goes on where it stopped")
    }

    private mutating func checkLimits() async {
        let fitting = await transport.answer(to: TransportRequest(url: base + "/large", maxBodyBytes: 1000))
        expect((try? fitting.get().body.count) == 1000, "a body of the limit's size passes")
        let large = await transport.answer(to: TransportRequest(url: base + "/large", maxBodyBytes: 999))
        expect(
            large.error?.code == .tooLarge && large.error?.limit == 999,
            "a larger body is an error that names the limit")
        let split = Headers([("X-A", "1\r\nX-B: 2")])
        let injected = await transport.answer(to: TransportRequest(url: base + "/echo", headers: split))
        expect(injected.error != nil, "a header with a line break is refused")
    }
}
