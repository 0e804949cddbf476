/// What definitions have in common: a service, a path below its base, and properties. Endpoints are inside
/// each other to any depth, each adding to what it is in (rules 34.2, 34.3). A value.
public struct EndpointDefinition: Sendable, Hashable {
    let contents: DefinitionContents

    /// The whole service: its base URL, and nothing more. Throws when it has none.
    public init(_ service: Service) throws(DefinitionError) {
        guard let base = service.baseURL else {
            throw DefinitionError(
                .noBaseURL, "service '\(service.name)' has no base_url: use a request of an absolute URL")
        }
        contents = DefinitionContents(service: service, base: base.url)
    }

    /// A base of the caller's own. Throws for text that is no URL of http or https.
    public init(_ service: Service, url: String) throws(DefinitionError) {
        contents = DefinitionContents(service: service, base: try Self.base(url))
    }

    /// The same for a service that is named when a request is sent; see ``RequestDefinition/through(_:)``.
    package static func detached(url: String) throws(DefinitionError) -> EndpointDefinition {
        EndpointDefinition(DefinitionContents(service: nil, base: try base(url)))
    }

    private static func base(_ url: String) throws(DefinitionError) -> URLText {
        guard let base = URLText(url), base.isHTTP else {
            throw DefinitionError(.invalidURL, "'\(url.printable)' is not an absolute URL of http or https")
        }
        return base
    }

    private init(_ contents: DefinitionContents) { self.contents = contents }

    /// The service whose blocks, decorators and pipeline its requests have.
    public var service: Service { contents.service }

    /// Where it is, without what its path components and query add.
    public var url: URLText { contents.base }

    /// Those that gave it something, the outermost first.
    public var levels: [DefinitionLevel] { contents.levels }

    /// What it takes in memory, about.
    public var byteCount: Int { contents.byteCount }

    /// An endpoint below this one.
    ///
    /// - Parameters:
    ///   - path: Text of a path, `"users"` or `"a/b"`; empty for properties alone.
    ///   - origin: `file:line`, for `explain`.
    public func endpoint(
        _ path: String, _ properties: RequestProperties = RequestProperties(), origin: String? = nil
    ) throws(DefinitionError) -> EndpointDefinition {
        try endpoint(try .path(path), properties, name: path, origin: origin)
    }

    /// The same with a path that is escaped already, and that `name` says.
    package func endpoint(
        _ path: PathComponent, _ properties: RequestProperties, name: String, origin: String?
    ) throws(DefinitionError) -> EndpointDefinition {
        var contents = contents
        let level = try contents.enter(DefinitionLevel(.endpoint, name, origin: origin))
        try contents.descend(path)
        try contents.add(properties, level: level)
        return EndpointDefinition(contents)
    }

    /// A request of this endpoint.
    ///
    /// - Parameters:
    ///   - method: Any token (D25).
    ///   - path: Of a template, behind the inherited path and before that of `properties`.
    ///   - name: Of its level, the template for example.
    ///   - origin: `file:line`, for `explain`.
    public func request(
        _ method: String, path: PathComponent? = nil, _ properties: RequestProperties = RequestProperties(),
        name: String = "", origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        var contents = contents
        let level = try contents.enter(DefinitionLevel(.request, name, origin: origin))
        if let path { try contents.add([path], level: level) }
        try contents.add(properties, level: level)
        return RequestDefinition(try RequestDefinition.normalized(method), contents)
    }
}
