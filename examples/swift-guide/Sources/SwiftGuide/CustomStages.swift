import RestEngine

struct User: Codable, Sendable {
    var born: String
    var followers: Int
    var login: String
    var name: String
    var parsed: Int?
}

/// Custom stages in a custom order.
@EngineActor
func customStages(_ api: API) throws -> Service {
    let service = try api.service("custom_stages")
    service.configure("/users/*") {
        try $0.pipeline.setOrder([
            .rawData, .decoding, .parsing, .model, "munging", "twiddling", .cleanup,
        ])
    }
    service.model(User.self, at: "/users/*")
    service.configureTransformer("/users/*", stage: "twiddling") { (user: User, _) in
        var user = user
        user.name += ", Countess of Lovelace"
        return user
    }
    service.configureTransformer("/users/*", stage: "munging") { (user: User, _) in
        var user = user
        user.name = user.name.uppercased()
        return user
    }
    return service
}
