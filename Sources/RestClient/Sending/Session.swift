import CurlTransport
public import RestEngine

/// Where calls are sent: a `Service`, with its transport, blocks, decorators, pipeline and limits. Unlike
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

    /// The service that was given; nil for one that is made at the first look.
    private let given: Service?

    /// Of a service that there is. Sessions of one service are equal.
    public init(_ service: Service) {
        given = service
        make = { service }
    }

    /// Of a service that is made when something is first sent.
    public init(_ make: @escaping @Sendable @EngineActor () -> Service) {
        given = nil
        self.make = make
    }

    /// Of a service with all defaults, which shares no resources with other sessions. All such sessions share
    /// one engine over libcurl, with its connections.
    ///
    /// - Parameter name: The service's, in logs and caches.
    public convenience init(name: String = "session") {
        self.init { Service(engine: sharedEngine, name: name, baseURL: nil) }
    }

    /// One with all defaults for the calls that name no endpoint and no session.
    public static let shared = Session(name: "shared")

    /// The service, which is made at the first look.
    @EngineActor
    public var service: Service {
        if let made { return made }
        let service = make()
        made = service
        return service
    }

    public static func == (a: Session, b: Session) -> Bool { a.identity == b.identity }

    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    private var identity: ObjectIdentifier { given.map(ObjectIdentifier.init) ?? ObjectIdentifier(self) }
}

@EngineActor private let sharedEngine = Engine(transport: CurlTransport())
