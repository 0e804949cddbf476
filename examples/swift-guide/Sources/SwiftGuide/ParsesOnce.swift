import RestEngine
import Synchronization

/// A response is transformed once, however many hooks, observers and callers use it.
@EngineActor
func parsesOnce(_ api: API) throws -> Service {
    let service = try api.service("parses_once")
    let count = Mutex(0)
    service.model(User.self, at: "/users/*")
    service.configureTransformer("/users/*", stage: .cleanup) { (user: User, _) in
        var user = user
        user.parsed = count.withLock {
            $0 += 1
            return $0
        }
        return user
    }
    return service
}
