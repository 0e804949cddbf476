import Platform
import RestClient
import Synchronization
import TestSupport
import Testing

/// A command line program that mirrors an API, over libcurl: it reads all pages, renews its token, repeats
/// what failed, and moves large files.
struct MirrorProgramTests {
    private static let file = [UInt8](repeating: 7, count: 4 << 20)

    private struct Page: Decodable, Sendable {
        var items: [Int]
        var next: Int?
    }

    /// The calls of the program. Each has the token, which is renewed at the first 401.
    private struct Mirror {
        let api: Endpoint

        init(_ url: String, _ token: Token) throws {
            let gate = RefreshGate()
            let logIn = try Endpoint(url: url).post("token", as: String.self)
            api = try Endpoint(url: url) {
                Authorize(.bearer) { token.value }
                Configure {
                    $0.retry = RetryPolicy()
                    $0.retry?.base = .milliseconds(1)
                    $0.decorators.append(
                        gate.decorator(when: { $0.httpStatusCode == 401 }) { token.value = try await logIn() }
                    )
                }
            }
        }

        func items() async throws -> [Int] {
            var items: [Int] = []
            var next: Int? = 1
            while let page = next {
                let answer: Page = try await api.get("pages") { Query("page", page) }()
                items += answer.items
                next = answer.next
            }
            return items
        }

        func texts(of items: [Int]) async throws -> [String] {
            try await withThrowingTaskGroup(of: String.self) { group in
                for item in items {
                    let call: Call<String> = api.get("items/\(item)")
                    group.addTask { try await call() }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
        }
    }

    /// Seven pages with three items each; the third page fails twice. The valid token is "new".
    private func makeAPI(_ failures: Failures, _ held: Gate) -> LoopbackPeer {
        LoopbackPeer { request, line in
            let path = request.path
            if path == "/token" {
                return line.respond(headers: [("Content-Type", "text/plain")], text: "new")
            }
            guard request.headers["Authorization"] == "Bearer new" else { return line.respond(401) }
            switch (request.method, path) {
            case ("GET", "/pages"):
                let page = request.target.split(separator: "=").last.flatMap { Int($0) } ?? 0
                guard page != 3 || failures.isOver else { return line.respond(503) }
                let items = (0..<3).map { "\(page * 3 + $0)" }.joined(separator: ",")
                line.respond(
                    headers: [("Content-Type", "application/json")],
                    text: #"{"items": [\#(items)], "next": \#(page < 7 ? "\(page + 1)" : "null")}"#)
            case ("GET", "/file"): line.respond(body: Self.file)
            case ("GET", "/endless"):
                line.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf!")
                held.open()
                line.stall()
            case ("PUT", _): line.respond(text: "\(request.body.count)")
            default: line.respond(headers: [("Content-Type", "text/plain")], text: path)
            }
        }
    }

    @Test func `it reads seven pages, and repeats the one that fails`() async throws {
        let peer = makeAPI(Failures(2), Gate())
        let mirror = try Mirror(peer.baseURL, Token())
        #expect(try await mirror.items() == Array(3..<24))
        let pages = peer.requests.filter { $0.path == "/pages" }.map(\.target)
        #expect(pages.count == 10 && pages.filter { $0.hasSuffix("=3") }.count == 3)
        #expect(peer.requests.filter { $0.path == "/token" }.count == 1)
    }

    @Test func `twenty calls at once that need a token renew it once`() async throws {
        let peer = makeAPI(Failures(0), Gate())
        let mirror = try Mirror(peer.baseURL, Token())
        let texts = try await mirror.texts(of: Array(0..<20))
        #expect(texts == (0..<20).map { "/items/\($0)" }.sorted())
        #expect(peer.requests.filter { $0.path == "/token" }.count == 1)
    }

    @Test func `it downloads and uploads a file with its bytes, and renews the token between`() async throws {
        let peer = makeAPI(Failures(0), Gate())
        let folder = TemporaryFolder()
        let path = folder.path + "/file"
        let token = Token()
        let mirror = try Mirror(peer.baseURL, token)
        let seen = Progress()
        let file = try await mirror.api.get("file").download(to: path) { seen.bytes = $0.bytesReceived }
        let received = await seen.bytes
        #expect(file.bytes == 4 << 20 && received == 4 << 20)
        #expect(try OpenFile(path).readAll() == Self.file)
        await token.expire()
        let upload = await mirror.api.put("file", as: String.self) { Body(file: path) }.start()
        var sent: Int64 = 0
        for try await progress in await upload.transferUpdates { sent = progress.bytesSent }
        #expect(sent == 4 << 20)
        #expect(peer.requests.filter { $0.method == "PUT" && $0.body.count == 4 << 20 }.count == 2)
        #expect(peer.requests.filter { $0.path == "/token" }.count == 2)
    }

    @Test func `an interrupt ends a download and an upload, and leaves no part of a file`() async throws {
        let held = Gate()
        let peer = makeAPI(Failures(0), held)
        let folder = TemporaryFolder()
        let path = folder.path + "/file"
        let token = Token()
        let mirror = try Mirror(peer.baseURL, token)
        let (bytes, write) = AsyncStream.makeStream(of: [UInt8].self)
        write.yield([1])
        let program = Task {
            async let download = mirror.api.get("endless").download(to: path)
            async let upload: Void = mirror.api.put("file") { Body(stream: bytes) }()
            _ = try await (download, upload)
        }
        await held.opened()
        program.cancel()
        let error = await #expect(throws: RequestError.self) { try await program.value }
        #expect(error?.isCancellation == true)
        #expect(folder.names(in: "").isEmpty)
    }
}

@EngineActor
private final class Token {
    var value = "old"
    nonisolated init() {}

    func expire() { value = "old" }
}

@EngineActor
private final class Progress {
    var bytes: Int64 = 0
    nonisolated init() {}
}

/// A number of failures that a server has left.
private final class Failures: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var isOver: Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }
}
