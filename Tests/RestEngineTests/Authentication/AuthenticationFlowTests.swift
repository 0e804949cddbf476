import TestSupport
import Testing

@testable import RestEngine

@Suite(.leakChecked) @EngineActor
struct AuthenticationFlowTests {
    let fixture = EngineFixture()

    private func digest() throws -> DigestAuthentication {
        var number = 0
        let digest = try DigestAuthentication(user: "u", password: "p") {
            number += 1
            return "c\(number)"
        }
        return fixture.watch(digest)
    }

    private func configure(_ decorator: @escaping RequestDecorator) throws {
        try fixture.configure { $0.configuration.decorators.append(decorator) }
    }

    /// The credentials that were sent: nonce and count, `basic`, or `-`.
    private var sent: [String] {
        fixture.transport.requests.map { request in
            guard let value = request.headers["Authorization"] else { return "-" }
            let fields = AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", value)])).first?
                .parameters
            guard let nonce = fields?["nonce"], let count = fields?["nc"] else { return value }
            return "\(nonce) \(count.suffix(2)) \(fields?["uri"] ?? "")"
        }
    }

    /// A server with the nonce `nonce`, which is valid for `uses` requests.
    private final class Server {
        var nonce = 1
        var uses = 1000
        var isStaleSaid = true
        var next: String?
        var letsIn = true

        @EngineActor func answer(_ request: TransportRequest) -> StubReply {
            let value = request.headers["Authorization"] ?? "-"
            let fields = AuthenticationChallenge.list(in: Headers([("WWW-Authenticate", value)])).first?
                .parameters
            let count = fields?["nc"].flatMap { Int($0, radix: 16) } ?? 0
            if letsIn, fields?["nonce"] == "n\(nonce)", count <= uses {
                var headers = Headers([("Content-Type", "text/plain")])
                if let next { headers.add("Authentication-Info", "nextnonce=\"\(next)\", qop=auth") }
                return .response(200, headers: headers, body: Array("in".utf8))
            }
            var isStale = ""
            if letsIn, fields?["nonce"] != nil {
                nonce += 1
                isStale = isStaleSaid ? ", stale=TRUE" : ""
            }
            let field = "Digest realm=\"r\", qop=\"auth\", nonce=\"n\(nonce)\"\(isStale)"
            return .response(
                401, headers: Headers([("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", field)]))
        }
    }

    private func server() throws -> Server {
        let server = Server()
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/**") { server.answer($0) }
        return server
    }

    private func load(_ path: String) -> String {
        let parts = path.split(separator: "?").map(String.init)
        var resource = fixture.resource(parts[0])
        if parts.count > 1 { resource = fixture.watch(resource.withParam(parts[1], [""])) }
        let request = resource.request("GET")
        fixture.settle()
        let response = request.info?.response
        return response?.error?.userMessage ?? response?.entity?.content.text ?? ""
    }

    @Test func `a challenge is answered once, and its nonce counts on for all resources of the origin`()
        throws
    {
        _ = try server()
        try configure(digest().decorator)
        #expect(load("a?x") == "in" && load("b") == "in" && load("c") == "in")
        #expect(sent == ["-", "n1 01 /v1/a?x", "n1 02 /v1/b", "n1 03 /v1/c"])
    }

    @Test(arguments: [true, false])
    func `a nonce that has become too old is replaced, whether the server calls it stale or not`(isSaid: Bool)
        throws
    {
        let server = try server()
        server.uses = 2
        server.isStaleSaid = isSaid
        try configure(digest().decorator)
        for path in ["a", "b", "c"] { #expect(load(path) == "in") }
        #expect(sent == ["-", "n1 01 /v1/a", "n1 02 /v1/b", "n1 03 /v1/c", "n2 01 /v1/c"])
    }

    @Test func `the server may name the next nonce`() throws {
        let server = try server()
        try configure(digest().decorator)
        server.next = "n2"
        #expect(load("a") == "in")
        server.nonce = 2
        server.next = nil
        #expect(load("b") == "in")
        #expect(sent == ["-", "n1 01 /v1/a", "n2 01 /v1/b"])
    }

    @Test func `an answer that is refused is the failure, and the end`() throws {
        let server = try server()
        server.letsIn = false
        try configure(digest().decorator)
        #expect(load("a") == "Unauthorized")
        #expect(sent == ["-", "n1 01 /v1/a"])
    }

    @Test func `requests that are refused together are answered together`() throws {
        _ = try server()
        try configure(digest().decorator)
        let requests = ["a", "b"].map { fixture.resource($0).request("GET") }
        fixture.settle()
        #expect(requests.allSatisfy { $0.info?.response.error == nil })
        #expect(sent.count == 4 && sent[..<2] == ["-", "-"])
    }

    @Test func `a challenge that can't be answered leaves the failure as it is, and is reported`() throws {
        try fixture.stub(
            "GET", "a", .response(401, headers: Headers([("WWW-Authenticate", "Bearer realm=\"x\"")])))
        try configure(digest().decorator)
        #expect(load("a") == "Unauthorized" && sent == ["-"])
        #expect(
            fixture.log.map(\.text)
                == ["no answer to the challenge of https://api.test: it asks for bearer, not Digest"])
    }

    @Test func `credentials go to the resource's own origin, redirects included, and to no other`() throws {
        let basic = try BasicAuthentication(user: "Ärger", password: "a:b")
        try configure(basic.decorator)
        func redirect(_ path: String, to: String) throws {
            try fixture.stub("GET", path, .response(302, headers: Headers([("Location", to)])))
        }
        try redirect("a", to: "b")
        try redirect("b", to: "https://other.test/c")
        try fixture.transport.stub(
            method: nil, urlGlob: "https://other.test/c",
            .response(302, headers: Headers([("Location", "https://api.test/v1/d")])))
        try fixture.stub("GET", "d", .text(200, "in"))
        #expect(load("a") == "in")
        let value = "Basic w4RyZ2VyOmE6Yg=="
        #expect(sent == [value, value, "-", value])
    }

    @Test func `a request's own field stays, and repeats and chains have credentials`() throws {
        _ = try server()
        try configure { _, request in request.chained { _ in .useThisResponse } }
        try configure(digest().decorator)
        let own = fixture.resource("a").request(
            "GET", RequestOptions.with(headers: Headers([("Authorization", "Own x")])))
        fixture.settle()
        #expect(own.info?.response.error != nil && sent == ["Own x"])
        let first = fixture.resource("a").request("GET")
        fixture.settle()
        let second = first.repeated().start()
        fixture.settle()
        #expect(second.info?.response.error == nil)
        #expect(sent == ["Own x", "-", "n1 01 /v1/a", "n1 02 /v1/a"])
    }

    @Test func `a body is sent again with the answer, within the time of the whole`() throws {
        _ = try server()
        try fixture.configure { $0.configuration.timeouts.total = .seconds(10) }
        try configure(digest().decorator)
        let request = fixture.resource("a").request("POST", RequestOptions(body: .bytes([1, 2])))
        fixture.settle()
        #expect(request.info?.response.error == nil)
        #expect(fixture.transport.requests.map(\.body) == [[1, 2], [1, 2]])
    }

    @Test func `what can't be credentials is refused`() {
        #expect(throws: CredentialFault.colon) { try BasicAuthentication(user: "a:b", password: "") }
        #expect(throws: CredentialFault.controlCharacter) {
            try BasicAuthentication(user: "a", password: "\n")
        }
        #expect(throws: CredentialFault.controlCharacter) {
            try DigestAuthentication(user: "\0", password: "")
        }
    }
}

extension RequestOptions {
    fileprivate static func with(headers: Headers) -> RequestOptions {
        var options = RequestOptions()
        options.headers = headers
        return options
    }
}
