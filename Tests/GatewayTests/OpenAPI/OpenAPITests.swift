import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// `/-/openapi.json` (rules 68).
@Suite struct OpenAPITests {
    private func document(_ site: Site, fields: [String] = []) throws -> Tree {
        let answer = try site.get("/-/openapi.json", fields: fields)
        #expect(answer.status == 200)
        return try Tree(json: answer.body)
    }

    private func paths(_ document: Tree) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for (path, item) in document["paths"]?.pairs.map(\.self) ?? [] {
            for (method, _) in item.pairs { found[path, default: []].append(method) }
        }
        return found
    }

    @Test func `68.1 It has what is exposed, and no more`() async throws {
        let expose = [
            "github": ExposeRule(
                paths: ["/users/*", "/orgs/**", "/exact", "/a*b"], methods: ["GET", "POST"])
        ]
        let control = FakeControl()
        await control.define([
            GatewayOperation(service: "github", method: "GET", path: "/users/{login}"),
            GatewayOperation(service: "github", method: "POST", path: "/orgs/{org}/{repo}.json"),
            GatewayOperation(service: "github", method: "GET", path: "/hidden/{x}"),
            GatewayOperation(service: "github", method: "DELETE", path: "/users/{login}"),
            GatewayOperation(service: "other", method: "GET", path: "/users/{login}"),
        ])
        try await World.run({ $0.expose = expose }, control: control) { world, site in
            await world.add("other", "https://other.example")
            let document = try document(site)
            #expect(document["openapi"]?.string == "3.1.0")
            let paths = paths(document).filter { !$0.key.hasPrefix("/-/") }
            #expect(
                paths == [
                    "/github/users/{login}": ["get", "post"], "/github/orgs/{path}": ["get", "post"],
                    "/github/orgs/{org}/{repo}.json": ["post", "get"], "/github/exact": ["get", "post"],
                ])
            let user = document["paths"]?["/github/users/{login}"]?["post"]
            #expect(user?["parameters"]?[0]?["name"]?.string == "login")
            #expect(user?["operationId"] == "post_github_users_by_login")
            let types = user?["requestBody"]?["content"]?.pairs.map { $0.key } ?? []
            #expect(types.first == "application/json" && types.contains("application/octet-stream"))
            #expect(user?["responses"]?["2XX"]?["content"]?["application/json"]?["schema"] != nil)
        }
    }

    @Test func `68.2 Routes are in it, with HEAD beside GET`() async throws {
        let route = GatewayRoute(method: "GET", template: "/report/{day}", expirationSeconds: nil) {
            $1(.success(.content(Entity(content: .json([:]), contentType: "application/json", timestamp: 0))))
        }
        try await World.run({ $0.routes = [route] }) { _, site in
            let document = try document(site)
            #expect(paths(document)["/report/{day}"] == ["get", "head"])
        }
    }

    @Test func `68.3 Every reference and parameter is there`() async throws {
        try await World.run { _, site in
            let document = try document(site)
            #expect(document["components"]?["schemas"]?["Problem"] != nil)
            #expect(document["security"] == nil)
            for (path, item) in document["paths"]?.pairs.map(\.self) ?? [] {
                let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                    String($0.dropFirst().dropLast())
                }
                for (_, operation) in item.pairs {
                    let parameters = operation["parameters"]?.elements.filter { $0["in"] == "path" } ?? []
                    #expect(parameters.compactMap { $0["name"]?.string } == names, "\(path)")
                    #expect(operation["responses"]?["default"] != nil)
                }
            }
            #expect(paths(document)["/github/{path}"] == ["get", "head"])
        }
    }

    @Test func `68.5 Each operation has an identifier, which others don't change`() {
        let paths = ["/a-b/{x}", "/users/{login}", "/a_b/{x}", "/Users/{Login}/x%20y", "/-/health", "/"]
        let all = OperationIdentifiers(paths.flatMap { [("get", $0), ("post", $0)] })
        let names = paths.map { all["get", $0] }
        #expect(Set(names).count == paths.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil }, "\(names)")
        #expect(names[1] == "get_users_by_login" && names[4] == "get_health" && names[5] == "get")
        #expect(names[0].hasPrefix("get_a_b_by_x_") && names[2].hasPrefix("get_a_b_by_x_"))
        // Others come and go.
        #expect(OperationIdentifiers([("get", paths[1])])["get", paths[1]] == names[1])
        #expect(OperationIdentifiers([("get", paths[0]), ("get", paths[2])])["get", paths[0]] == names[0])
        #expect(all["post", paths[1]] == "post_users_by_login")
    }

    @Test func `68.4 A gateway with tokens says so, and shows each client its own`() async throws {
        try await World.run({
            $0.tokens = [
                GatewayToken(name: "all", secret: .text("all")),
                GatewayToken(
                    name: "some", secret: .text("some"),
                    expose: ["github": ExposeRule(paths: ["/users/*"])]),
            ]
        }) { _, site in
            #expect(try site.get("/-/openapi.json").status == 401)
            let all = try document(site, fields: ["Authorization: Bearer all"])
            #expect(all["components"]?["securitySchemes"]?["bearer"]?["scheme"]?.string == "bearer")
            #expect(paths(all)["/github/{path}"] != nil)
            let some = paths(try document(site, fields: ["Authorization: Bearer some"]))
            #expect(some["/github/users/{path}"] != nil && some["/github/{path}"] == nil)
        }
    }
}
