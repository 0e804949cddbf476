public import RestEngine

/// A part of an API: a path below its service's base URL, and what all requests there have in common. A
/// value; calls and further endpoints are made of it.
///
///     let users = try service.endpoint("users") {
///         Header(.accept, "application/json")
///         Timeout(.seconds(10))
///     }
///     let octocat: User = try await users.get("octocat")()
public struct Endpoint: Sendable, CallSource {
    package let definition: EndpointDefinition
    /// Where its calls are sent.
    public var session: Session
    /// Decodes the answers to its calls.
    public var decoder: TreeDecoder

    package init(_ definition: EndpointDefinition, _ session: Session, _ decoder: TreeDecoder) {
        self.definition = definition
        self.session = session
        self.decoder = decoder
    }

    /// An API by its base URL, of http or https.
    ///
    ///     let github = try Endpoint(url: "https://api.github.com") { Header(.accept, "application/json") }
    ///
    /// - Parameters:
    ///   - session: Nil: one of its own, so that it shares no data, cookies or blocks with any other
    ///     endpoint. Keep the endpoint as long as its data is of use.
    ///   - line: The line of the caller, for messages.
    ///   - properties: The properties of the block.
    ///   - url: The URL of the API.
    ///   - decoder: Decodes the answers.
    ///   - fileID: The file of the caller, for messages.
    /// - Throws: `DefinitionError` for text that is no such URL, and for properties that can't be.
    public init(
        url: String, session: Session? = nil, decoder: TreeDecoder = TreeDecoder(),
        fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) throws(DefinitionError) {
        let given = try properties().checked()
        let definition = try EndpointDefinition.detached(url: url)
        self.init(
            try definition.endpoint("", given, origin: "\(fileID):\(line)"),
            session ?? Session(name: definition.url.host ?? "session"), decoder)
    }

    /// Its URL, with the paths of the endpoints that it is in.
    public var url: String { definition.url.string }

    public var endpoint: Result<Endpoint, DefinitionError> { .success(self) }
}

/// A source of calls: a `Service` or an ``Endpoint``.
public protocol CallSource: Sendable {
    /// As an endpoint; a failure when it has no base URL.
    nonisolated var endpoint: Result<Endpoint, DefinitionError> { get }
}

extension Service: CallSource {
    /// The whole service.
    public nonisolated var endpoint: Result<Endpoint, DefinitionError> {
        Result { () throws(DefinitionError) in
            Endpoint(try EndpointDefinition(self), Session(self), TreeDecoder())
        }
    }
}

extension CallSource {
    /// An endpoint below this one, with what this one has and what the block adds.
    ///
    /// - Parameters:
    ///   - path: Its text is taken as it is, its values are escaped; empty for properties alone.
    ///   - decoder: Nil: this one's.
    ///   - fileID: The file of the caller, for messages.
    ///   - properties: The properties of the block.
    ///   - line: The line of the caller, for messages.
    /// - Throws: `DefinitionError` for a path or properties that can't be.
    public nonisolated func endpoint(
        _ path: Path = "", decoder: TreeDecoder? = nil, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) throws(DefinitionError) -> Endpoint {
        let parent = try endpoint.get()
        let definition = try parent.definition.endpoint(
            path.component(), try properties().checked(), name: path.description,
            origin: "\(fileID):\(line)")
        return Endpoint(definition, parent.session, decoder ?? parent.decoder)
    }

    /// A call of this endpoint. An impossible property, such as a header with a line break, is the error of
    /// each sending.
    ///
    /// - Parameters:
    ///   - method: Any token (RFC 9110 9.1).
    ///   - path: Its text is taken as it is, its values are escaped.
    ///   - output: The call's output type, where the context doesn't say it; see ``Call``.
    ///   - fileID: The file of the caller, for messages.
    ///   - line: The line of the caller, for messages.
    ///   - properties: The properties of the block.
    public nonisolated func call<Output: Sendable>(
        _ method: Method, _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID,
        line: Int = #line, @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        Call(of: endpoint, method, path, properties(), origin: "\(fileID):\(line)")
    }
}
