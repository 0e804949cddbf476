/// Selects the resources of a block, in Swift code (rules 14.9–14.15). A string literal is a glob.
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
    /// The pattern as its author wrote it, if it is a text.
    public let description: String

    private init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A glob, as ``glob(_:)``. A malformed one stops the program with a message that says why, because it
    /// would never match.
    public init(stringLiteral glob: String) {
        do throws(PatternError) { self = try .glob(glob) } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Every resource, those of other hosts included (14.15).
    public static let all = ResourcePattern(.all, "all resources")

    /// `*` matches within a segment of the path, `**` any text, `?` one character. The glob is relative to
    /// the base URL of the service unless it is absolute (14.9). `"**"` matches only URLs below the base.
    ///
    /// - Throws: ``PatternError`` for control characters and fragments, which no requested URL has.
    public static func glob(_ text: String) throws(PatternError) -> ResourcePattern {
        // The base has no influence on whether a text is a glob.
        _ = try GlobPattern(text, base: nil)
        return ResourcePattern(.glob(text), text)
    }

    /// A regular expression that is searched for in the whole URL, including its query (14.11).
    ///
    /// - Parameters:
    ///   - options: Letters as in Perl: `i`, `x`, `s`, `m`.
    ///   - text: The expression.
    /// - Throws: ``PatternError`` for a text that is not a regular expression.
    public static func regex(_ text: String, options: String = "") throws(PatternError) -> ResourcePattern {
        ResourcePattern(.regex(try CompiledRegex(text, options: options)), "/\(text)/\(options)")
    }

    /// Only the resource at this URL; no resource if it is invalid (14.12).
    @EngineActor
    public static func resource(_ resource: Resource) -> ResourcePattern {
        ResourcePattern(.resource(resource), resource.urlString)
    }

    /// The resources for whose URL the function returns true (14.13). It is called again when the
    /// configuration is resolved again.
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
                preconditionFailure("a glob that was valid before: \(error)")
            }
        case .regex(let regex): return .regex(regex)
        case .predicate(let predicate): return service.predicatePattern(predicate)
        case .resource(let resource):
            return resource.url.map { .resource($0) } ?? service.predicatePattern { _ in false }
        }
    }

    /// A matcher for one use, which leaves no state in the service.
    @EngineActor
    func matcher(for service: Service) -> @EngineActor (URLText) throws -> Bool {
        if case .predicate(let predicate) = kind { return predicate }
        let pattern = compiled(for: service)
        return { try pattern.matches($0) { _ in false } }
    }
}
