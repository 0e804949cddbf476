import Synchronization

/// The routes, shared by the connections, with the clock they are asked at.
final class FixtureSite: Sendable {
    private let routes: Mutex<FixtureRoutes>
    private let now: @Sendable () -> Double

    init(_ routes: FixtureRoutes, now: @escaping @Sendable () -> Double) {
        self.routes = Mutex(routes)
        self.now = now
    }

    func respond(to request: FixtureRequest) -> FixtureResponse {
        let time = now()
        return routes.withLock { $0.respond(to: request, at: time) }
    }
}
