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
        guard let base = URLText(url), base.isHTTP else {
            throw DefinitionError(.invalidURL, "'\(url.printable)' is not an absolute URL of http or https")
        }
        contents = DefinitionContents(service: service, base: base)
    }

    private init(_ contents: DefinitionContents) { self.contents = contents }

    /// The service whose blocks, decorators and pipeline its requests have.
    public var service: Service { contents.service }

    /// Where it is, without what its path components and query add.
    public var url: URLText { contents.base }

    /// Those that gave it something, the outermost first.
    public var levels: [DefinitionLevel] { contents.levels }

    /// An endpoint below this one.
    ///
    /// - Parameters:
    ///   - path: Text of a path, `"users"` or `"a/b"`; empty for properties alone.
    ///   - origin: `file:line`, for `explain`.
    public func endpoint(
        _ path: String, _ properties: RequestProperties = RequestProperties(), origin: String? = nil
    ) throws(DefinitionError) -> EndpointDefinition {
        var contents = contents
        let level = try contents.enter(DefinitionLevel(.endpoint, path, origin: origin))
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
