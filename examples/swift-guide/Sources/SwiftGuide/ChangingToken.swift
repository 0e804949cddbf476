import RestEngine

/// A header whose value changes. A block runs when it is first needed, and its result is kept. A new value of
/// ``token`` takes effect after the next `invalidateConfiguration()`.
@EngineActor
final class ChangingToken {
    let service: Service
    let session: Resource
    private var token: String?

    init(_ api: API) throws {
        service = try api.service("changing_token")
        session = service.resource("/-/login")
        service.configure("**") { [weak self] configuration in
            if let token = self?.token { configuration.headers[.authorization] = "Bearer \(token)" }
        }
        session.addObserver(owner: self) { [weak self] session, _ in
            guard let self, let new = session.json["token"]?.string, new != token else { return }
            token = new
            service.invalidateConfiguration()
        }
    }
}
