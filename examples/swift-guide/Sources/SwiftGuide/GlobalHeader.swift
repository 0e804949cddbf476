import RestEngine

/// A header for every request of the service, to any host.
@EngineActor
func globalHeader(_ api: API) throws -> Service {
    let service = try api.service("global_header")
    service.configure { $0.headers["X-App-Version"] = "7.1" }

    // Credentials belong in a block for "**", because other hosts that the service may reach don't get them.
    service.configure("**") { $0.headers["X-App-Secret"] = "2g3h4bkv234" }
    return service
}
