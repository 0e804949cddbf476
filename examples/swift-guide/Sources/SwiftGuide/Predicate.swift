import RestEngine

/// A function of the URL decides, where a pattern can't say it: everything but the login page needs a key.
@EngineActor
func predicate(_ api: API) throws -> Service {
    let service = try api.service("predicate")
    let login = service.resource("/-/login")
    service.configure(.matching { $0.string != login.urlString }) { $0.headers["X-Key"] = "k" }
    return service
}
