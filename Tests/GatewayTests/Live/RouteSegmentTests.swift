import RestEngine
import Testing

@testable import Gateway

/// The values of a route's names (rule 54.6).
@Suite struct RouteSegmentTests {
    /// A route like that of the guide: the name goes into the path of a resource.
    private static func report(_ template: String, in world: World) -> GatewayRoute {
        GatewayRoute(method: "GET", template: template, expirationSeconds: nil) { request, completion in
            let path = "/users/" + request.params[0].value
            guard let service = world.service(named: "github") else { return }
            service.resource(path).request(.get).onCompletion { info in
                switch info.response {
                case .success(let entity): completion(.success(.content(entity)))
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    /// Spellings of a path that leads up, behind `/report/`.
    static let waysUp = [
        "..%2f..%2f..%2fadmin", "..%2F..%2Fadmin", "%2e%2e%2fadmin", "%2E%2E%2Fadmin", "..", ".", "%2e%2e",
        "%2e",
        "%252e%252e", "..%252fadmin", "%252e%252e%252fadmin", "..;x", "..%5cadmin", "%5c..%5cadmin",
        "a%2f..%2fb",
    ]

    @Test(arguments: waysUp)
    func `54.6 D31 no name of a route leads out of a service's base`(_ way: String) async throws {
        let world = await World.empty()
        try await World.run({
            $0.routes = [Self.report("/report/{user}", in: world), Self.report("/all/{path*}", in: world)]
        }) { outer, site in
            for target in ["/report/\(way)", "/all/\(way)", "/all/a/\(way)"] {
                let answer = try site.get(target)
                #expect(answer.status == 404, "\(target)")
            }
            // A service at the same address refuses paths that lead up.
            let refused = try site.get("/github/\(way)")
            #expect(refused.status == 400)
            #expect(await outer.transport.requests.isEmpty)
        }
        #expect(await world.transport.requests.isEmpty)
        await world.settle()
    }

    private static func echo(_ template: String) -> GatewayRoute {
        GatewayRoute(method: "GET", template: template, expirationSeconds: nil) { request, completion in
            let text = request.params.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            completion(
                .success(.content(Entity(content: .text(text), contentType: "text/plain", timestamp: 0))))
        }
    }

    @Test(arguments: [
        ("/one/a", 200, "x=a"), ("/one/a%20b", 200, "x=a b"), ("/one/a%2fb", 404, ""), ("/one/a/b", 404, ""),
        ("/one/", 404, ""), ("/one/..a", 200, "x=..a"), ("/one/a.b", 200, "x=a.b"),
        ("/one/%252f", 200, "x=%2f"),
        ("/many/a", 200, "y=a"), ("/many/a/b/c", 200, "y=a/b/c"), ("/many/a%2fb/c", 200, "y=a%2Fb/c"),
        ("/many/a/", 200, "y=a/"), ("/many/", 200, "y="), ("/many", 404, ""), ("/many/a/../b", 404, ""),
        ("/many/text", 200, ""), ("/many/one/name", 200, "z=name"),
    ])
    func `54.6 a name is one segment, and with two stars all that are left`(
        _ target: String, _ status: Int, _ body: String
    ) async throws {
        try await World.run({
            $0.routes = ["/one/{x}", "/many/{y*}", "/many/text", "/many/one/{z}"].map(Self.echo)
        }) { _, site in
            let answer = try site.get(target)
            #expect(answer.status == status)
            if status == 200 { #expect(answer.body == body) }
        }
    }
}
