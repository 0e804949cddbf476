public import RestEngine

/// A call that gives the whole answer, or what the context asks for when it is sent.
public typealias APIRequest = Call<Entity>

extension APIRequest {
    /// The properties of blocks; see ``CallProperties``.
    public typealias Properties = CallProperties
    /// See ``CallConfiguration``.
    public typealias Configuration = CallConfiguration
    /// See `Method`.
    public typealias HTTPMethod = Method
}

extension Call {
    /// A call of a URL that belongs to no service.
    ///
    ///     let request = APIRequest(.get, url: "https://example.com/users") {
    ///         QueryItems { ("name", "firstname") }
    ///     }
    ///
    /// - Parameters:
    ///   - url: Of http or https; other text is the error of each sending.
    ///   - configuration: Nil: all defaults.
    ///   - method: The method of the request.
    ///   - session: Where the call is sent.
    ///   - line: The line of the caller, for messages.
    ///   - decoder: Decodes the answers.
    ///   - properties: The properties of the block.
    ///   - fileID: The file of the caller, for messages.
    public init(
        _ method: Method, url: String, configuration: CallConfiguration? = nil, session: Session = .shared,
        decoder: TreeDecoder = TreeDecoder(), fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder properties: () -> CallProperties = { CallProperties() }
    ) {
        let endpoint = Result { () throws(DefinitionError) in
            try Endpoint(url: url, session: session, decoder: decoder)
        }
        self.init(of: endpoint, method, configuration, properties(), origin: "\(fileID):\(line)")
    }

    /// A call of a service or an endpoint that is declared as a type, with all that it has.
    ///
    /// - Parameters:
    ///   - configuration: Merged with the parent's, field by field.
    ///   - session: Nil: the parent's.
    ///   - decoder: Nil: the parent's.
    ///   - parent: The type of the level above.
    ///   - properties: The properties of the block.
    ///   - line: The line of the caller, for messages.
    ///   - method: The method of the request.
    ///   - fileID: The file of the caller, for messages.
    public init(
        _ method: Method, parent: any APIComponent.Type, configuration: CallConfiguration? = nil,
        session: Session? = nil, decoder: TreeDecoder? = nil, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder properties: () -> CallProperties = { CallProperties() }
    ) {
        self.init(of: parent.endpoint, method, configuration, properties(), origin: "\(fileID):\(line)")
        if let session { self.session = session }
        if let decoder { self.decoder = decoder }
    }

    private init(
        of endpoint: Result<Endpoint, DefinitionError>, _ method: Method, _ configuration: CallConfiguration?,
        _ properties: CallProperties, origin: String
    ) {
        let all = CallProperties {
            configuration
            properties
        }
        self.init(of: endpoint, method, "", all, origin: origin)
    }
}

/// Makes a call of an endpoint that is declared as a type, of a method and properties:
///
///     @RequestBuilder<Users>
///     static func find(name: String) -> Call<[User]> {
///         Method.get
///         QueryItems { ("name", name) }
///     }
@resultBuilder
public enum RequestBuilder<Parent: APIComponent>: BlockBuilder {
    /// A method, and the properties behind it.
    public struct Draft {
        fileprivate let method: Method
        fileprivate var properties = CallProperties()
    }

    /// The method, which comes first.
    public static func buildExpression(_ method: Method) -> Method { method }

    /// One property.
    public static func buildExpression(_ property: some RequestProperty) -> CallProperties {
        PropertiesBuilder.buildExpression(property)
    }

    /// Nil says nothing.
    public static func buildExpression(_ property: (some RequestProperty)?) -> CallProperties {
        PropertiesBuilder.buildExpression(property)
    }

    /// A method without properties.
    public static func buildPartialBlock(first method: Method) -> Draft { Draft(method: method) }

    /// The first property of an inner block.
    public static func buildPartialBlock(first properties: CallProperties) -> CallProperties { properties }

    /// One more property of the request.
    public static func buildPartialBlock(accumulated draft: Draft, next: CallProperties) -> Draft {
        var draft = draft
        draft.properties.append(next)
        return draft
    }

    /// One more property of an inner block.
    public static func buildPartialBlock(
        accumulated properties: CallProperties, next: CallProperties
    ) -> CallProperties {
        PropertiesBuilder.buildBlock(properties, next)
    }

    public static func buildArray(_ parts: [CallProperties]) -> CallProperties {
        PropertiesBuilder.buildArray(parts)
    }

    /// The call of the endpoint.
    public static func buildFinalResult<Output>(_ draft: Draft) -> Call<Output> {
        Call(draft.method, parent: Parent.self) { draft.properties }
    }

    @available(*, unavailable, message: "a request begins with its method: Method.get")
    public static func buildFinalResult<Output>(_ properties: CallProperties) -> Call<Output> {
        fatalError()
    }
}
