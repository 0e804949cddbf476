/// A request as a value: method, URL, headers and body (rules 34.1, 34.4). Each modifier returns a new
/// definition. Equal definitions make equal requests, byte by byte.
///
///     let endpoint = try EndpointDefinition(service).endpoint("users")
///     let all = try endpoint.request("GET")
///     let entity = try await all.send().entity()
package struct RequestDefinition: Sendable, Hashable {
    /// Copies share the prepared request.
    private let storage: Storage

    private final class Storage: Sendable {
        let method: String
        let contents: DefinitionContents
        @EngineActor var prepared: PreparedDefinition?

        init(_ method: String, _ contents: DefinitionContents) {
            self.method = method
            self.contents = contents
        }
    }

    init(_ method: String, _ contents: DefinitionContents) { storage = Storage(method, contents) }

    static func normalized(_ method: String) throws(DefinitionError) -> String {
        guard let known = Method.normalized(method) else {
            throw DefinitionError(.invalidMethod, "'\(method.printable)' is not a method")
        }
        return known
    }

    var contents: DefinitionContents { storage.contents }

    /// The method as it is sent.
    package var method: String { storage.method }

    /// The service whose blocks, decorators and pipeline apply.
    package var service: Service { contents.service }

    /// The same definition, sent through another service. Its URL stays the same, independent of that
    /// service's base URL.
    package func through(_ service: Service) -> RequestDefinition {
        guard !contents.isSent(through: service) else { return self }
        var contents = contents
        contents.service = service
        return RequestDefinition(method, contents)
    }

    /// The whole URL, composed at each call.
    package var url: URLText { contents.url }

    /// The headers that it adds to those of blocks: its own, the Content-Type of its body, and a fixed
    /// Idempotency-Key.
    package var headers: Headers { contents.allHeaders }

    /// The parameters after the query of the base, in order.
    package var query: [QueryItem] { contents.query.map(\.value) }

    /// The components after the paths of the endpoints, in order.
    package var path: [PathComponent] { contents.path.map(\.value) }

    /// The body; nil for none.
    package var body: DefinedBody? { contents.body?.value }

    /// The functions that run after all matching blocks.
    package var configuration: [ConfigurationFunction] { contents.configuration.map(\.value) }

    /// The levels that set its properties, the outermost first.
    package var levels: [DefinitionLevel] { contents.levels }

    /// The approximate size in memory.
    package var byteCount: Int { contents.byteCount }

    package static func == (a: RequestDefinition, b: RequestDefinition) -> Bool {
        a.storage === b.storage || (a.method == b.method && a.contents == b.contents)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(contents)
    }

    /// The prepared form for sending, made once.
    @EngineActor
    var prepared: PreparedDefinition {
        if let known = storage.prepared { return known }
        let made = PreparedDefinition(self)
        storage.prepared = made
        return made
    }
}

// MARK: Modifiers

extension RequestDefinition {
    private func changed(
        by name: String, _ origin: String?,
        _ change: (inout DefinitionContents, Int) throws(DefinitionError) -> Void
    ) throws(DefinitionError) -> RequestDefinition {
        var contents = contents
        try change(&contents, try contents.enter(DefinitionLevel(.modifier, name, origin: origin)))
        return RequestDefinition(method, contents)
    }

    /// Adds properties of each kind after the existing ones. A header that is a list gets further values,
    /// another header is replaced, and a body replaces a body (34.2, 38.2).
    package func adding(
        _ properties: RequestProperties, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "adding", origin) { contents, level throws(DefinitionError) in
            try contents.add(properties, level: level)
        }
    }

    /// Replaces each kind of property that `properties` contains.
    package func setting(
        _ properties: RequestProperties, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "setting", origin) { contents, level throws(DefinitionError) in
            try contents.set(properties, level: level)
        }
    }

    /// Replaces a header; an empty list removes it.
    package func settingHeader(
        _ name: String, _ values: [String], origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "setting_header", origin) { contents, level throws(DefinitionError) in
            try contents.setHeader(HeaderItem(name, values), level: level)
        }
    }

    /// Adds a value to a header that is a list, and replaces any other header.
    package func addingHeader(
        _ name: String, _ values: [String], origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        var properties = RequestProperties()
        properties.headers = [HeaderItem(name, values)]
        return try changed(by: "adding_header", origin) { contents, level throws(DefinitionError) in
            try contents.add(properties, level: level)
        }
    }

    /// Removes a header of the definition; blocks may still set it.
    package func removingHeader(
        _ name: String, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "removing_header", origin) { contents, _ throws(DefinitionError) in
            contents.headers.remove(name)
        }
    }

    /// Replaces all parameters of a name at the position of the first, or appends one; nil removes them.
    package func settingQuery(
        _ name: String, _ value: QueryValue?, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "setting_query", origin) { contents, level throws(DefinitionError) in
            try contents.setQuery(name, value, level: level)
        }
    }

    /// Removes all parameters of a name.
    package func removingQuery(
        _ name: String, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        try changed(by: "removing_query", origin) { contents, level throws(DefinitionError) in
            try contents.setQuery(name, nil, level: level)
        }
    }

    /// The same with another method, which may be any token (D25).
    package func withMethod(_ method: String) throws(DefinitionError) -> RequestDefinition {
        RequestDefinition(try Self.normalized(method), contents)
    }

    /// Adds a configuration function after the existing ones.
    package func withConfiguration(
        _ function: ConfigurationFunction, origin: String? = nil
    ) throws(DefinitionError) -> RequestDefinition {
        var properties = RequestProperties()
        properties.configuration = [function]
        return try changed(by: "with_configuration", origin) { contents, level throws(DefinitionError) in
            try contents.add(properties, level: level)
        }
    }
}
