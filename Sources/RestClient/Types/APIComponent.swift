public import RestEngine

/// A part of an API, declared as a type: an ``APIService`` or an ``APIEndpoint``. No values of such a type
/// are made, so an `enum` without cases fits best.
///
/// Everything has a default. Each level says what it adds to the one above: properties are added, settings
/// are merged field by field, and session and decoder are those of the level above unless it names others.
public protocol APIComponent {
    /// The properties that all requests of this level and of those below have in common.
    @PropertiesBuilder static var sharedProperties: CallProperties { get }
    /// Settings of these requests.
    static var configuration: CallConfiguration { get }
    /// Where they are sent.
    static var session: Session { get }
    /// Decodes their answers.
    static var decoder: TreeDecoder { get }
    /// This level as a value, with all that it inherits; implemented for services and endpoints.
    static var endpoint: Result<Endpoint, DefinitionError> { get }
}

extension APIComponent {
    public static var sharedProperties: CallProperties { CallProperties() }
    public static var configuration: CallConfiguration { CallConfiguration() }

    fileprivate static var properties: CallProperties {
        CallProperties {
            configuration
            sharedProperties
        }
    }
}

/// An API, declared as a type:
///
///     enum UserService: APIService {
///         static let baseURL = "https://example.com/"
///         static var sharedProperties: APIRequest.Properties {
///             Headers { Header.accept(.applicationJSON) }
///         }
///     }
public protocol APIService: APIComponent {
    /// Of http or https. Text that is no such URL is the error of each of its requests.
    static var baseURL: String { get }
}

extension APIService {
    public static var session: Session { .shared }
    public static var decoder: TreeDecoder { TreeDecoder() }

    public static var endpoint: Result<Endpoint, DefinitionError> {
        Result { () throws(DefinitionError) in
            try Endpoint(url: baseURL, session: session, decoder: decoder, fileID: "\(Self.self)", line: 0) {
                properties
            }
        }
    }
}

/// An endpoint of an ``APIService``, or of another endpoint, declared as a type:
///
///     enum Users: APIEndpoint {
///         static let path = "users"
///         typealias Parent = UserService
///     }
public protocol APIEndpoint: APIComponent {
    /// The component that it belongs to, which need not be the type around it.
    associatedtype Parent: APIComponent
    /// Text of a path, whose slashes part segments; empty for properties alone.
    static var path: String { get }
}

extension APIEndpoint {
    public static var session: Session { Parent.session }
    public static var decoder: TreeDecoder { Parent.decoder }

    public static var endpoint: Result<Endpoint, DefinitionError> {
        Parent.endpoint.flatMap { parent in
            Result { () throws(DefinitionError) in
                var endpoint = try parent.endpoint(
                    Path(stringLiteral: path), decoder: decoder, fileID: "\(Self.self)", line: 0
                ) {
                    properties
                }
                endpoint.session = session
                return endpoint
            }
        }
    }
}
