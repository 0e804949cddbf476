import RestEngine

/// Content becomes a model of the program's own, for each kind of resource.
struct Person: Codable, Sendable {
    let login: String
    let name: String

    var greeting: String { "Good day, \(name)!" }
}

@EngineActor
func modelMapping(_ api: API) throws -> Service {
    let service = try api.service("model_mapping")
    service.model(Person.self, at: "/users/*")
    return service
}
