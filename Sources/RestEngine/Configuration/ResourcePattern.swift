/// Which resources a block is for, as a program writes it (rules 14.9–14.15). A string literal is a glob.
///
///     "/users/*"   try .glob(text)   try .regex("[?&]page=")   .resource(users)   .all
///     .matching { $0.host == "api.test" }
public struct ResourcePattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Kind: Sendable {
        case all
        case glob(String)
        case regex(CompiledRegex)
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

    /// A glob, as ``glob(_:)``. One that is malformed stops the program, with a message that says why: it
    /// would never have matched.
    public init(stringLiteral glob: String) {
        do throws(PatternError) { self = try .glob(glob) } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Every resource, those of other hosts included (14.15).
    public static let all = ResourcePattern(.all, "all resources")

    /// `*` is anything within a segment of the path, `**` anything, `?` one character; relative to the
    /// service's base URL unless it is absolute (14.9). `"**"` is everything below the base and nothing else.
    ///
    /// - Throws: ``PatternError`` for control characters and fragments, which no URL that is asked for has.
    public static func glob(_ text: String) throws(PatternError) -> ResourcePattern {
        // Whether a text is a glob doesn't depend on the base.
        _ = try GlobPattern(text, base: nil)
        return ResourcePattern(.glob(text), text)
    }

    /// Searched for in the whole URL, its query included (14.11).
    ///
    /// - Parameter options: Letters of Perl's: `i`, `x`, `s`, `m`.
    /// - Throws: ``PatternError`` for what is no regular expression.
    public static func regex(_ text: String, options: String = "") throws(PatternError) -> ResourcePattern {
        ResourcePattern(.regex(try CompiledRegex(text, options: options)), "/\(text)/\(options)")
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
    func compiled(for service: Service) -> URLPattern {
        switch kind {
        case .all: return .all
        case .glob(let text):
            do throws(PatternError) { return try .glob(text, base: service.baseURL) } catch {
                preconditionFailure("a glob that was one before: \(error)")
            }
        case .regex(let regex): return .regex(regex)
        case .predicate(let predicate): return service.predicatePattern(predicate)
        case .resource(let resource):
            return resource.url.map { .resource($0) } ?? service.predicatePattern { _ in false }
        }
    }

    /// For one use, which leaves nothing behind in the service.
    @EngineActor
    func matcher(for service: Service) -> @EngineActor (URLText) throws -> Bool {
        if case .predicate(let predicate) = kind { return predicate }
        let pattern = compiled(for: service)
        return { try pattern.matches($0) { _ in false } }
    }
}
