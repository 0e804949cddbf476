/// Which resources a block is for, as a program writes it (rules 14.9–14.15). A string literal is a glob.
///
///     "/users/*"   .glob(text)   .regex("[?&]page=")   .resource(users)   .matching { $0.host == "api.test"
///     }   .all
public struct ResourcePattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Kind: Sendable {
        case all
        case glob(String)
        case regex(String, options: String)
        case resource(Resource)
        case predicate(@EngineActor (URLText) throws -> Bool)
    }

    private let kind: Kind
    /// As its author wrote it, if it is a text.
    public let description: String

    private init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    public init(stringLiteral glob: String) { self = .glob(glob) }

    /// Every resource, those of other hosts included (14.15).
    public static let all = ResourcePattern(.all, "all resources")

    /// `*` is anything within a segment of the path, `**` anything, `?` one character; relative to the
    /// service's base URL unless it is absolute (14.9). `"**"` is everything below the base and nothing else.
    public static func glob(_ text: String) -> ResourcePattern { ResourcePattern(.glob(text), text) }

    /// Searched for in the whole URL, its query included (14.11).
    public static func regex(_ text: String, options: String = "") -> ResourcePattern {
        ResourcePattern(.regex(text, options: options), "/\(text)/\(options)")
    }

    /// The resource at this URL alone; none if it is invalid (14.12).
    @EngineActor
    public static func resource(_ resource: Resource) -> ResourcePattern {
        ResourcePattern(.resource(resource), resource.urlString)
    }

    /// Those for whose URL the function is true (14.13). It is asked again when the configuration is.
    public static func matching(
        _ predicate: @escaping @EngineActor (URLText) throws -> Bool
    ) -> ResourcePattern {
        ResourcePattern(.predicate(predicate), "a function of the URL")
    }

    @EngineActor
    func compiled(for service: Service) throws(PatternError) -> URLPattern {
        switch kind {
        case .all: .all
        case .glob(let text): try .glob(text, base: service.baseURL)
        case .regex(let text, let options): try .regex(text, options: options)
        case .predicate(let predicate): service.predicatePattern(predicate)
        case .resource(let resource):
            if let url = resource.url { .resource(url) } else { service.predicatePattern { _ in false } }
        }
    }

    /// For one use, which leaves nothing behind in the service.
    @EngineActor
    func matcher(for service: Service) throws(PatternError) -> @EngineActor (URLText) throws -> Bool {
        if case .predicate(let predicate) = kind { return predicate }
        let pattern = try compiled(for: service)
        return { try pattern.matches($0) { _ in false } }
    }
}
