import CurlTransport
public import RestEngine

/// Where calls are sent: a ``Service``, with its transport, blocks, decorators, pipeline and limits. Unlike
/// the service itself, which lives on the engine's loop, it can be made anywhere, as a static property for
/// example:
///
///     static let session = Session {
///         let service = Service(engine: Engine(transport: CurlTransport()), name: "github", baseURL: nil)
///         service.configure("**") { $0.expirationTime = .minutes(5) }
///         return service
///     }
public final class Session: Sendable, Hashable {
    @EngineActor private var made: Service?
    private let make: @Sendable @EngineActor () -> Service

    /// Of a service that there is.
    public init(_ service: Service) { make = { service } }

    /// Of a service that is made when something is first sent.
    public init(_ make: @escaping @Sendable @EngineActor () -> Service) { self.make = make }

    /// Of an engine of its own, over libcurl, and a service with all defaults.
    public static let shared = Session {
        Service(engine: Engine(transport: CurlTransport()), name: "shared", baseURL: nil)
    }

    /// The service, which is made at the first look.
    @EngineActor
    public var service: Service {
        if let made { return made }
        let service = make()
        made = service
        return service
    }

    public static func == (a: Session, b: Session) -> Bool { a === b }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
