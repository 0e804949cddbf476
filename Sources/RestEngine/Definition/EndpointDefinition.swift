/// The common parts of definitions: a service, a path below its base, and properties. Endpoints can be nested
/// to any depth; each adds to its parent (rules 34.2, 34.3). A value type.
package struct EndpointDefinition: Sendable, Hashable {
    let contents: DefinitionContents

    /// The endpoint of a whole service: only its base URL. Throws when the service has none.
    package init(_ service: Service) throws(DefinitionError) {
        guard let base = service.baseURL else {
            throw DefinitionError(
                .noBaseURL, "service '\(service.name)' has no base_url: use a request of an absolute URL")
        }
        contents = DefinitionContents(service: service, base: base.url)
    }

    /// An endpoint with a base URL of the caller. Throws for text that is no http or https URL.
    package init(_ service: Service, url: String) throws(DefinitionError) {
        contents = DefinitionContents(service: service, base: try Self.base(url))
    }

    /// The same for a service that is chosen when a request is sent; see ``RequestDefinition/through(_:)``.
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

    /// The service whose blocks, decorators and pipeline apply to the requests.
    package var service: Service { contents.service }

    /// The base URL, without the path components and the query of the definition.
    package var url: URLText { contents.base }

    /// The levels that set its properties, the outermost first.
    package var levels: [DefinitionLevel] { contents.levels }

    /// The approximate size in memory.
    package var byteCount: Int { contents.byteCount }

    /// Makes an endpoint below this one.
    ///
    /// - Parameters:
    ///   - path: Text of a path, `"users"` or `"a/b"`; empty for properties alone.
    ///   - origin: `file:line`, for `explain`.
    package func endpoint(
        _ path: String, _ properties: RequestProperties = RequestProperties(), origin: String? = nil
    ) throws(DefinitionError) -> EndpointDefinition {
        try endpoint(try .path(path), properties, name: path, origin: origin)
    }

    /// The same with a path that is already escaped; `name` is its name in output.
    package func endpoint(
        _ path: PathComponent, _ properties: RequestProperties, name: String, origin: String?
    ) throws(DefinitionError) -> EndpointDefinition {
        var contents = contents
        let level = try contents.enter(DefinitionLevel(.endpoint, name, origin: origin))
        try contents.descend(path)
        try contents.add(properties, level: level)
        return EndpointDefinition(contents)
    }

    /// Makes a request of this endpoint.
    ///
    /// - Parameters:
    ///   - method: Any token (D25).
    ///   - path: The path of a template, after the inherited path and before that of `properties`.
    ///   - name: The name of its level, for example the template.
    ///   - origin: `file:line`, for `explain`.
    package func request(
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
