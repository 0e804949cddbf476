public import RestEngine

/// A request of an API that gives an `Output`, as a value: it can be kept, compared, changed by modifiers,
/// and sent as often as one likes.
///
///     func find(name: String) -> Call<[User]> {
///         users.get { Query("name", name) }
///     }
///     let found = try await find(name: "Mona")()
///
/// An `Output` is any `Decodable` type, which is decoded from the content. An `Optional` is nil for a success
/// without a body, and `Tree` is the JSON. `String` is the body as text; `[UInt8]`, `Data` and other
/// collections of bytes are the body as it is; `Void` takes any success: the bodies of these aren't parsed.
/// `Entity` is everything. A type of a transformer of the service that isn't `Decodable` conforms to
/// ``CallContent``. A call of any other type can't be sent.
public struct Call<Output: Sendable>: Sendable {
    package private(set) var definition: Result<RequestDefinition, DefinitionError>
    /// Where it is sent.
    public var session: Session
    /// Decodes the answer.
    public var decoder: TreeDecoder
    /// When it must have ended; see ``deadline(_:)``.
    package var deadline: ContinuousClock.Instant?

    init(
        of source: Result<Endpoint, DefinitionError>, _ method: Method, _ path: Path,
        _ properties: CallProperties, origin: String
    ) {
        switch source {
        case .success(let endpoint):
            session = endpoint.session
            decoder = endpoint.decoder
            definition = Result { () throws(DefinitionError) in
                try endpoint.definition.request(
                    method.rawValue, path: try path.component(), try properties.checked(),
                    name: path.description,
                    origin: origin)
            }
        case .failure(let error):
            session = .shared
            decoder = TreeDecoder()
            definition = .failure(error)
        }
    }

    private init(
        _ definition: Result<RequestDefinition, DefinitionError>, _ session: Session, _ decoder: TreeDecoder
    ) {
        self.definition = definition
        self.session = session
        self.decoder = decoder
    }

    /// The same request for another type of answer.
    public func returning<Other: Sendable>(_ type: Other.Type = Other.self) -> Call<Other> {
        var call = Call<Other>(definition, session, decoder)
        call.deadline = deadline
        return call
    }

    /// The same with its definition changed; the first error stays.
    func changed(
        _ change: (RequestDefinition) throws(DefinitionError) -> RequestDefinition
    ) -> Call {
        var call = self
        call.definition = Result { () throws(DefinitionError) in try change(try definition.get()) }
        return call
    }
}

extension Call {
    /// Why it can't be sent; nil when it can.
    public var failure: DefinitionError? {
        if case .failure(let error) = definition { error } else { nil }
    }

    /// The method; nil when the call can't be sent, as are the others below.
    public var method: Method? { value { Method($0.method) } }

    /// The whole URL.
    public var url: String? { value { $0.url.string } }

    /// The headers that it adds to those of the service's blocks.
    public var headers: Headers? { value(\.headers) }

    /// Its parameters, behind those of the base URL.
    public var query: [QueryItem]? { value(\.query) }

    /// Its path components, behind the paths of the endpoints.
    public var path: [PathComponent]? { value(\.path) }

    /// Nil also for none.
    public var body: DefinedBody? { value(\.body) ?? nil }

    private func value<Value>(_ read: (RequestDefinition) -> Value) -> Value? {
        if case .success(let definition) = definition { read(definition) } else { nil }
    }
}

/// Calls are equal that send the same through the same service, until the same deadline; the decoder doesn't
/// count.
extension Call: Hashable {
    public static func == (a: Call, b: Call) -> Bool {
        a.session == b.session && a.definition == b.definition && a.deadline == b.deadline
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(definition) }
}

extension Call: CustomStringConvertible {
    /// `GET https://…`, or why not.
    public var description: String {
        switch definition {
        case .success(let definition):
            "\(definition.method) \(SecretMask.standard.url(definition.url.string))"
        case .failure(let error): "call that can't be sent: \(error)"
        }
    }
}
