import RestEngine

/// A function decides by the URL if no pattern can: everything except the login page needs a key.
@EngineActor
func predicate(_ api: API) throws -> Service {
    let service = try api.service("predicate")
    let login = service.resource("/-/login")
    service.configure(.matching { $0.string != login.urlString }) { $0.headers["X-Key"] = "k" }
    return service
}
