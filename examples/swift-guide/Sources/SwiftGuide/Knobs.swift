import RestEngine

/// Settings for one kind of resource at any path: a knob's position is never up to date.
@EngineActor
func knobs(_ api: API) throws -> Service {
    let service = try api.service("knobs")
    service.configure("**") { $0.expirationTime = .minutes(1) }
    service.configure("/**/knob", description: "knobs are always stale") { $0.expirationTime = .zero }
    return service
}
