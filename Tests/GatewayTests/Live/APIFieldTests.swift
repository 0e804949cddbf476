import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Status, length and fields of an API's failures, as a reading client gets them.
@Suite struct APIFieldTests {
    private static func run(
        forwarding forwarded: [String] = [],
        _ answer: @escaping @EngineActor @Sendable (TransportRequest) -> TransportResponse,
        _ body: (World, Site) async throws -> Void
    ) async throws {
        try await World.run(
            {
                $0.expose = ["github": ExposeRule(methods: ["GET", "HEAD", "POST"])]
                $0.forwardedHeaders = forwarded
            }, automatic: { .success(answer($0)) }, body)
    }

    private static func failure(_ status: Int, _ name: String, _ value: String) -> TransportResponse {
        var response = TransportResponse.stub("no", status: status, type: "text/plain")
        response.headers.set(name, value)
        return response
    }

    @Test(
        arguments: [
            (503, "Retry-After", "7"), (429, "Retry-After", "7"), (405, "Allow", "PUT, DELETE"),
            (416, "Content-Range", "bytes */10"), (401, "WWW-Authenticate", "Basic realm=\"r\""),
        ] as [(Int, String, String)])
    func `50.10 A read that fails says what the API said of the failure`(
        status: Int, name: String, value: String
    ) async throws {
        try await Self.run({ _ in Self.failure(status, name, value) }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer.status == status && answer[name] == value)
            #expect(answer["Content-Type"]?.hasPrefix("application/problem+json") == true)
        }
    }

    @Test func `Vary names the headers of clients that the API hears, with and without them`() async throws {
        let answer: @EngineActor @Sendable (TransportRequest) -> TransportResponse = { request in
            .stub(request.headers["Accept-Language"] ?? "none", type: "text/plain")
        }
        let forwarded = ["X-Tenant", "Accept-Language", "Accept", "Range", "If-Match"]
        try await Self.run(forwarding: forwarded, answer) { _, site in
            for field in [nil, "Accept-Language: de"] {
                for _ in 0..<2 {
                    let answer = try site.get("/github/a", fields: field.map { [$0] } ?? [])
                    #expect(answer.body == (field == nil ? "none" : "de"))
                    let vary = answer.fields.filter { $0.name.lowercased() == "vary" }.map(\.value)
                    #expect(vary.contains("accept, accept-language, x-tenant"))
                    #expect(vary.contains { $0.hasPrefix("Accept") })
                }
            }
        }
        try await Self.run(answer) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer["Vary"]?.hasPrefix("Accept") == true)
        }
    }

    @Test func `50.10 A failure of 503 that says no time is worth another try in a second`() async throws {
        try await Self.run({ _ in .stub("no", status: 503, type: "text/plain") }) { _, site in
            let answer = try site.get("/github/a")
            #expect(answer["Retry-After"] == "1")
        }
    }

    @Test func `A redirect that is not followed is the answer, for clients with a copy too`() async throws {
        let answer: @EngineActor @Sendable (TransportRequest) -> TransportResponse = { _ in
            Self.failure(302, "Location", "/elsewhere")
        }
        try await Self.run(answer) { world, site in
            try await world.configure("**") {
                $0.redirects.follow = false
                $0.expirationTime = .seconds(60)
            }
            let first = try site.get("/github/a")
            #expect(first.status == 302 && first["Location"]?.hasSuffix("/elsewhere") == true)
            let again = try site.get(
                "/github/a", fields: ["If-None-Match: \(first["ETag"] ?? "*")", "Accept: image/png"])
            #expect(again.status == 302 && again["Location"] == first["Location"])
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `50.8 HEAD of one client's own has the length that GET would have`(isChanged: Bool) async throws {
        let answer: @EngineActor @Sendable (TransportRequest) -> TransportResponse = { request in
            var response = TransportResponse.stub(
                request.method == "HEAD" ? "" : "0123456789", type: "text/plain")
            response.headers.set("Content-Length", "10")
            return response
        }
        try await Self.run(forwarding: ["X-Own"], answer) { world, site in
            if isChanged {
                try await world.configure("**") {
                    $0.pipeline[.model].add(
                        TypedTransformer<String, String>(description: "longer", onMismatch: .skip) {
                            text, _ in
                            text + "!"
                        })
                }
            }
            let head = try site.get("/github/a", method: "HEAD", fields: ["X-Own: 1"])
            #expect(head.status == 200 && head["Content-Length"] == (isChanged ? nil : "10"))
            let whole = try site.get("/github/a", fields: ["X-Own: 1"])
            #expect(whole["Content-Length"] == (isChanged ? "11" : "10"))
        }
    }

    @Test func `50.8 A POST that begins an upload says the type of what will come`() async throws {
        try await Self.run({ _ in .stub("ok", type: "text/plain") }) { world, site in
            let fields = ["Content-Type: video/mp4", "Content-Length: 0"]
            let answer = try site.get("/github/a?uploads", method: "POST", fields: fields)
            #expect(answer.status == 200)
            #expect(await world.transport.requests.last?.headers["Content-Type"] == "video/mp4")
        }
    }

    @Test func `A pattern in place of a header's name is refused with the reason`() {
        #expect(
            ForwardedHeaders.validationError(toForwarding: "X-Meta-*")
                == "'X-Meta-*' is a pattern: name each header")
        #expect(
            ForwardedHeaders.validationError(toKeeping: "X-Meta-*")
                == "'X-Meta-*' is a pattern: name each header")
    }
}
