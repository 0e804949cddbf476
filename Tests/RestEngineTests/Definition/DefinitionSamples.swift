import RestEngine
import TestSupport

extension EngineFixture {
    /// A definition of an endpoint at the root of the service.
    func define(
        _ method: String, path: String = "", endpoint: RequestProperties = RequestProperties(),
        _ request: RequestProperties = RequestProperties()
    ) throws -> RequestDefinition {
        try EndpointDefinition(service).endpoint(path, endpoint).request(method, request)
    }

    /// Defines a GET endpoint.
    func define(
        path: String = "", endpoint: RequestProperties = RequestProperties(),
        _ request: RequestProperties = RequestProperties()
    ) throws -> RequestDefinition {
        try define("GET", path: path, endpoint: endpoint, request)
    }

    /// The request that a definition sends.
    func sent(_ definition: RequestDefinition) throws -> TransportRequest {
        try transport.stub(method: Method(definition.method), urlGlob: "https://**", .response())
        definition.send()
        settle()
        return transport.requests[transport.requests.count - 1]
    }
}

extension RequestProperties {
    init(
        headers: [HeaderItem]? = nil, query: [QueryItem]? = nil, path: [PathComponent]? = nil,
        body: RequestBody? = nil, contentType: String? = nil, style: QueryStyle? = nil,
        configuration: [ConfigurationFunction]? = nil
    ) {
        self.init()
        self.headers = headers
        self.query = query
        self.path = path
        self.body = body.map { .replace(DefinedBody($0, contentType: contentType)) }
        queryStyle = style
        self.configuration = configuration
    }
}

/// The code of a definition's error; nil if there was none.
func mistake<Value>(_ make: () throws -> Value) -> DefinitionError.Code? {
    do { _ = try make() } catch { return (error as? DefinitionError)?.code }
    return nil
}
