import RestEngine
import Testing

@testable import Gateway

/// The methods that pages of other origins may use (rules 55).
@Suite struct PreflightTests {
    @Test func `55.4 A preflight names what is exposed, and each method once`() async throws {
        func run(_ methods: [String], _ body: (Site, (String) throws -> String?) throws -> Void) async throws
        {
            try await World.run(
                {
                    let shown = [
                        "github": ExposeRule(methods: ["GET", "HEAD", "POST", "post", "DELETE"])
                    ]
                    $0.expose = shown
                    $0.tokens = [
                        GatewayToken(name: "all", secret: .text("all")),
                        GatewayToken(
                            name: "few", secret: .text("few"),
                            expose: ["github": ExposeRule(methods: ["GET"])]),
                    ]
                    var cors = GatewayCORS(origins: ["https://app.example"])
                    cors.methods = methods
                    $0.cors = cors
                    $0.routes = [
                        GatewayRoute(method: "PATCH", template: "/own", expirationSeconds: nil) { _, _ in }
                    ]
                }, automatic: { _ in .success(.stub("[1]")) }
            ) { _, site in
                try body(site) { target in
                    let answer = try site.get(
                        target, method: "OPTIONS",
                        fields: ["Origin: https://app.example", "Access-Control-Request-Method: DELETE"])
                    #expect(answer.status == 204)
                    return answer["Access-Control-Allow-Methods"]
                }
            }
        }
        try await run([]) { site, ask in
            #expect(try ask("/github/a") == "GET, HEAD, POST, DELETE")
            #expect(try ask("/own") == "PATCH")
            #expect(try ask("/-/services") == "GET, HEAD")
            #expect(try ask("/-/reload") == nil)
            #expect(try ask("/nobody/a") == nil)
            // A preflight request carries no token. The request itself does, and its answer names the token's
            // methods.
            let fields = ["Origin: https://app.example", "Authorization: Bearer "]
            for (token, allowed) in [("all", "GET, HEAD, POST, DELETE, OPTIONS"), ("few", "GET, OPTIONS")] {
                let refused = try site.get(
                    "/github/a", method: "PUT", fields: [fields[0], fields[1] + token, "Content-Length: 0"])
                #expect(refused.status == 405)
                #expect(refused["Allow"] == allowed)
                #expect(refused["Access-Control-Allow-Origin"] == "https://app.example")
            }
        }
        try await run(["GET", "POST", "PUT", "DELETE"]) { _, ask throws in
            #expect(try ask("/github/a") == "GET, HEAD, POST, DELETE")
            #expect(try ask("/own") == nil)
        }
        try await run(["PATCH"]) { _, ask throws in
            #expect(try ask("/github/a") == "GET, HEAD, POST")
            #expect(try ask("/own") == "PATCH")
        }
    }
}
