import RestEngine

/// A client that gets a 401 isn't logged in. One decorator says so, for every request.
@EngineActor
func loginOn401(_ api: API) throws -> Service {
    let service = try api.service("login_on_401")
    service.configure("**") { configuration in
        configuration.decorators.append { resource, request in
            request.onFailure { error in
                if error.httpStatusCode == 401 {
                    resource.engine.log.write(.warning, "log in to see \(resource.urlString)")
                }
            }
        }
    }
    return service
}
