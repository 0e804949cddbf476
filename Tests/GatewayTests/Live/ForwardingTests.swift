import RestEngine
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Headers that are forwarded to the API and from it by configuration (rules 50.8, 50.10, 50.14).
@Suite struct ForwardingTests {
    private static func run(
        forwarding forwarded: [String], keeping kept: [String] = [],
        _ answer: @escaping @EngineActor @Sendable (TransportRequest) -> TransportResponse,
        _ body: (World, Site) async throws -> Void
    ) async throws {
        try await World.run(
            {
                $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST", "PUT", "PATCH"])]
                ($0.forwardedHeaders, $0.keptHeaders) = (forwarded, kept)
            }, automatic: { .success(answer($0)) }, body)
    }

    private static let text = "0123456789"

    /// An API with ten bytes that answers range requests.
    private static func bytes(_ request: TransportRequest) -> TransportResponse {
        bytes(request, type: "application/x-raw")
    }

    private static func bytes(_ request: TransportRequest, type: String) -> TransportResponse {
        var response = TransportResponse.stub(text, type: type)
        response.headers.set("ETag", "\"v1\"")
        response.headers.set("Accept-Ranges", "bytes")
        guard let range = request.headers["Range"], request.headers["If-Range"] ?? "\"v1\"" == "\"v1\"" else {
            return response
        }
        let isFirst = range == "bytes=0-2"
        response.status = isFirst ? 206 : 416
        response.headers.set("Content-Range", isFirst ? "bytes 0-2/10" : "bytes */10")
        response.body = isFirst ? Array("012".utf8) : []
        return response
    }

    @Test(arguments: ["application/json", "application/vnd.api+json", "text/plain"])
    func `18.1 50.8 A part of JSON or text that is forwarded comes back as its bytes`(type: String)
        async throws
    {
        try await Self.run(forwarding: ["Range"], { Self.bytes($0, type: type) }) { world, site in
            try await world.configureAsScript("**")
            let part = try site.get("/github/a", fields: ["Range: bytes=0-2"])
            #expect(part.status == 206 && part.body == "012" && part["Content-Range"] == "bytes 0-2/10")
            #expect(part["Content-Type"]?.hasPrefix(type) == true)
        }
    }

    @Test func `50.8 A part that is forwarded is found by the API, and is nobody else's`() async throws {
        try await Self.run(forwarding: ["Range", "If-Range"], Self.bytes) { world, site in
            let part = try site.get("/github/a", fields: ["Range: bytes=0-2"])
            #expect(part.status == 206 && part.body == "012")
            #expect(part["Content-Range"] == "bytes 0-2/10" && part["Accept-Ranges"] == "bytes")
            #expect(part["ETag"] == "\"v1\"" && part["Cache-Control"] == "no-store")
            #expect(await world.transport.requests.last?.headers["Accept-Encoding"] == "identity")
            let whole = try site.get("/github/a")
            #expect(whole.status == 200 && whole.body == Self.text)
            let tag = try #require(whole["ETag"])
            // The part belongs to the content with the tag that the client named.
            let rest = try site.get("/github/a", fields: ["Range: bytes=0-2", "If-Range: \(tag)"])
            #expect(rest.status == 206 && rest["ETag"] == tag)
            #expect(await world.transport.requests.last?.headers["If-Range"] == "\"v1\"")
            let changed = try site.get("/github/a", fields: ["Range: bytes=0-2", "If-Range: \"x\""])
            #expect(changed.status == 200 && changed.body == Self.text)
            let beyond = try site.get("/github/a", fields: ["Range: bytes=90-"])
            #expect(beyond.status == 416 && beyond["Content-Range"] == "bytes */10")
            #expect(await world.transport.requests.count == 5)
            let head = try site.get("/github/a", method: "HEAD", fields: ["Range: bytes=0-2"])
            #expect(head.status == 200 && head["Content-Length"] == "10")
            #expect(await world.transport.requests.count == 5, "there is no part of a head")
        }
    }

    @Test func `50.8 Where the API ignores a forwarded Range, the gateway makes the part and says so once`()
        async throws
    {
        try await Self.run(forwarding: ["Range"]) { _ in
            var response = TransportResponse.stub(Self.text, type: "application/x-raw")
            response.headers.set("Accept-Ranges", "bytes")
            return response
        } _: { _, site in
            let part = try site.get("/github/a", fields: ["Range: bytes=2-4"])
            #expect(part.status == 206 && part.body == "234")
            #expect(part.fields.filter { $0.name.lowercased() == "accept-ranges" }.count == 1)
        }
    }

    @Test func `50.14 A part that a transformer has changed is a problem`() async throws {
        try await Self.run(forwarding: ["Range"]) { _ in
            var response = TransportResponse.stub("[1 ]", status: 206, type: "text/plain")
            response.headers.set("Content-Range", "bytes 0-3/10")
            return response
        } _: { world, site in
            let same = try site.get("/github/a", fields: ["Range: bytes=0-3"])
            #expect(same.status == 206 && same.body == "[1 ]")
            try await world.configure("**") {
                $0.pipeline[.model].add(
                    TypedTransformer<String, String>(description: "longer", onMismatch: .skip) { text, _ in
                        text + "!"
                    })
            }
            let changed = try site.get("/github/a", fields: ["Range: bytes=0-3"])
            #expect(changed.status == 502 && changed.problem("code") == "part_changed")
        }
    }

    @Test func `50.8 A read that is one client's own gets its part, and 304, from the gateway`() async throws
    {
        try await Self.run(forwarding: ["Accept"], Self.bytes) { world, site in
            let whole = try site.get("/github/a", fields: ["Accept: application/*"])
            #expect(whole.status == 200 && whole.body == Self.text)
            let tag = try #require(whole["ETag"])
            let fields = ["Accept: application/*", "Range: bytes=7-"]
            let part = try site.get("/github/a", fields: fields + ["If-Range: \(tag)"])
            #expect(part.status == 206 && part.body == "789" && part["ETag"] == tag)
            #expect(part["Content-Range"] == "bytes 7-9/10" && part["Cache-Control"] == "no-store")
            #expect(try site.get("/github/a", fields: fields + ["If-Range: \"x\""]).status == 200)
            #expect(
                try site.get("/github/a", fields: ["Accept: a/b", "If-None-Match: \(tag)"]).status == 304)
            for request in await world.transport.requests {
                #expect(request.headers["Range"] == nil && request.headers["If-None-Match"] == nil)
            }
        }
    }

    @Test func `50.14 A change returns the API's tag, a refusal its challenges`()
        async throws
    {
        try await Self.run(forwarding: []) { request in
            let isAllowed = request.url.hasSuffix("/a")
            var response = TransportResponse.stub(isAllowed ? "{}" : "", status: isAllowed ? 201 : 401)
            for (name, value) in [
                ("ETag", "\"v2\""), ("WWW-Authenticate", "Basic realm=\"x\""),
                ("Proxy-Authenticate", "Basic"),
                ("WWW-Authenticate", "Bearer"), ("Content-Range", "bytes 0-1/2"),
            ] {
                response.headers.add(name, value)
            }
            return response
        } _: { _, site in
            for method in ["POST", "PUT", "PATCH"] {
                let changed = try site.get("/github/a", method: method)
                #expect(changed.status == 201 && changed["ETag"] == "\"v2\"")
                #expect(changed["WWW-Authenticate"] == nil && changed["Content-Range"] == nil)
            }
            for method in ["GET", "POST"] {
                let refused = try site.get("/github/b", method: method)
                let challenges = refused.fields.filter { $0.name == "WWW-Authenticate" }.map(\.value)
                #expect(refused.status == 401 && challenges == ["Basic realm=\"x\"", "Bearer"])
                #expect(refused["Proxy-Authenticate"] == nil)
                #expect(refused["ETag"] == (method == "GET" ? nil : "\"v2\""))
            }
            #expect(try site.get("/github/a")["ETag"] != "\"v2\"", "of what is read the gateway has its own")
        }
    }

    @Test func `50.14 The tag of what was changed comes back where its answer is not held`() async throws {
        try await BodyFlow.run { world, site in
            let client = try site.connect()
            try client.send(BodyFlow.head("Content-Length: 2", "/github/files/a") + "{}")
            await world.transport.waitForRequests(1)
            await world.streamed().open(headers: [("ETag", "\"v2\"")])
            #expect(try client.headAlone()["ETag"] == "\"v2\"")
            await world.streamed().end()
            await world.settle()
        }
    }

    @Test func `50.8 A client of tus asks where its upload stands, and goes on`() async throws {
        let names = ["Tus-Resumable", "Upload-Offset", "Upload-Length"]
        let offset = Mutex(0)
        try await Self.run(forwarding: names, keeping: names) { request in
            var response = TransportResponse(status: request.method == "POST" ? 201 : 204)
            response.headers.set("Tus-Resumable", request.headers["Tus-Resumable"] ?? "")
            switch request.method {
            case "POST": response.headers.set("Location", "https://api.github.com/v3/files/7")
            case "HEAD": response.headers.set("Upload-Length", "5")
            case "PATCH" where request.headers["Content-Type"] == "application/offset+octet-stream":
                offset.withLock { $0 += request.body?.count ?? 0 }
            default: response.status = 405
            }
            response.headers.set("Upload-Offset", "\(offset.withLock { $0 })")
            return response
        } _: { _, site in
            let version = "Tus-Resumable: 1.0.0"
            let made = try site.get("/github/files", method: "POST", fields: [version, "Upload-Length: 5"])
            #expect(made.status == 201 && made["Location"] == "/github/files/7")
            let client = try site.connect()
            try client.send(
                "PATCH /github/files/7 HTTP/1.1\r\nHost: localhost\r\n\(version)\r\nUpload-Offset: 0\r\n"
                    + "Content-Type: application/offset+octet-stream\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.answer()["Upload-Offset"] == "3")
            let head = try site.get("/github/files/7", method: "HEAD", fields: [version])
            #expect(head.status == 204 && head["Upload-Offset"] == "3" && head["Upload-Length"] == "5")
            #expect(head["Tus-Resumable"] == "1.0.0" && head["Cache-Control"] == "no-store")
        }
    }

    @Test(arguments: [
        ("Connection", "belongs to a single connection", "belongs to a single connection"),
        ("Proxy-Authenticate", "belongs to a single connection", "belongs to a single connection"),
        ("Content-Length", "is set anew for each message", "is set anew for each message"),
        ("Cookie", "is secret", "is secret"), ("Authorization", "is secret", "is secret"),
        ("If-None-Match", "is used by the gateway itself for reads", nil),
        ("Cache-Control", "how fresh a resource has to be", "for its own answer"),
        ("Accept-Encoding", "set by the host itself", nil), ("Host", "names the gateway", nil),
        ("Expect", "is answered by the gateway itself", nil),
        ("ETag", nil, "goes to the client anyway"), ("WWW-Authenticate", nil, "goes to the client anyway"),
        ("Content-Type", nil, "for the content that it sends"), ("Range", nil, nil), ("If-Range", nil, nil),
        ("If-Match", nil, nil), ("Content-Encoding", nil, "for the content that it sends"),
        ("Accept", nil, nil), ("Content-Range", nil, "goes to the client anyway"),
        ("Upload-Offset", nil, nil),
    ])
    func `50.10 A name that can't be forwarded or kept is refused with its own reason`(
        name: String, forwarding: String?, keeping: String?
    ) {
        for (isForward, reason) in [(true, forwarding), (false, keeping)] {
            var configuration = GatewayConfiguration()
            if isForward {
                configuration.forwardedHeaders = [name]
            } else {
                configuration.keptHeaders = [name]
            }
            var said: String?
            do { try configuration.check() } catch { said = "\(error)" }
            #expect((said == nil) == (reason == nil))
            if let said, let reason { #expect(said.hasPrefix("'\(name)' ") && said.contains(reason)) }
        }
    }
}
