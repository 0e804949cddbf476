import Logging
import RestClient
import RestLifecycle
import RestLogging
import RestMetrics
import RestTracing
import ServiceLifecycle
import Tracing
import UnixSignals

// The code of docs/swift/with-other-packages.md. GuideTests of ResthostTests checks that both are the same.

@EngineActor
func connect(_ engine: Engine) -> EngineLifecycle {
    engine.writeLog(to: Logger(label: "api"))
    engine.recordMetrics()
    engine.trace()
    return EngineLifecycle(engine, grace: .seconds(20))
}

@EngineActor
func connect(_ engine: Engine, to logger: Logger) {
    engine.writeLog(to: logger, failures: .notice, details: [.staleness, .configuration])
}

@EngineActor
func connect(_ engine: Engine, to tracer: any Tracer) {
    engine.trace(with: tracer) { url in
        url.path.hasPrefix("/users/") ? "/users/{login}" : nil
    }
}

func serve(_ engine: Engine, logger: Logger) async throws {
    let api = await EngineLifecycle(engine, grace: .seconds(20))
    try await ServiceGroup(
        services: [api], gracefulShutdownSignals: [.sigterm], logger: logger
    ).run()
}

struct User: Codable, Sendable, Equatable {
    let name: String?
}

func name(of login: String, in users: Endpoint) async throws(RequestError) -> String? {
    do throws(RequestError) {
        let user: User = try await users.get("\(login)").send()
        return user.name
    } catch {
        if error.isShutdown { return nil }
        throw error
    }
}

@EngineActor
func people(_ engine: Engine) throws -> RestService {
    try RestService(engine: engine, name: "people", baseURL: "https://people.example")
}
