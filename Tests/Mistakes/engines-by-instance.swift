// A prototype of several engines, each an actor whose resources are isolated to the instance; see
// docs/internals/decisions/one-engine-thread.md. A resource can't leave its engine.

actor SomeEngine {
    private var resources: [String: LoadedResource] = [:]

    func resource(_ path: String) -> LoadedResource {
        let resource = resources[path] ?? LoadedResource()
        resources[path] = resource
        return resource
    }
}

final class LoadedResource {
    private(set) var latestData: String?

    func load(on engine: isolated SomeEngine) { latestData = "new" }
}

func ask(_ engine: SomeEngine) async -> String? {
    let resource = await engine.resource("users/a")  // can not be returned
    await resource.load(on: engine)
    return resource.latestData
}

// Within the engine's own function all is well, so observers would have to be written like this.
extension SomeEngine {
    func inside() -> String? {
        let resource = resource("users/a")
        resource.load(on: self)
        return resource.latestData
    }
}
