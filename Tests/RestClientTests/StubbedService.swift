import RestClient

/// A service with an API of stubs and a running clock. Calls may be awaited anywhere.
struct StubbedService {
    let service: Service
    let transport: StubTransport

    /// The session for calls that are declared with types.
    var session: Session { Session(service) }

    init(baseURL: String = "https://api.test/v1/") async throws {
        (service, transport) = try await EngineActor.run {
            let scheduler = Scheduler()
            let transport = StubTransport(scheduler: scheduler)
            let engine = Engine(transport: transport, scheduler: scheduler)
            return (Service(engine: engine, name: "api", baseURL: try BaseURL(baseURL)), transport)
        }
    }

    /// Stubs a URL, or a path of the service, which may be a glob.
    @EngineActor
    func stub(_ method: Method, _ url: String, _ reply: StubReply, isHeld: Bool = false) throws {
        try transport.stub(method: method, urlGlob: url, base: service.baseURL, isHeld: isHeld, reply)
    }

    /// The requests that were sent, each as method and URL.
    @EngineActor
    var sent: [String] { transport.requests.map { "\($0.method) \($0.url)" } }

    @EngineActor
    var last: TransportRequest? { transport.requests.last }
}

extension Session {
    /// The requests that were sent, if the engine's transport is stubs.
    @EngineActor
    var requests: [TransportRequest] { (service.engine.transport as? StubTransport)?.requests ?? [] }
}

struct Person: Codable, Sendable, Equatable {
    var name: String
}
