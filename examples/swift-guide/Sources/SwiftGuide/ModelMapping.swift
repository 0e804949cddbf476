import RestEngine

/// The content of each kind of resource becomes a model of this program.
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
