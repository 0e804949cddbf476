import RestEngine

/// A statement in the block of an endpoint or a call: ``Header``, ``Query``, ``Path``, ``Body``, ``Timeout``,
/// ``Configure``, ``Authorize``, or a group of them. A type of your own that adds others is one too.
public protocol RequestProperty: Sendable {
    /// Adds what it says behind what was said before.
    func add(to properties: inout CallProperties)
}

/// The properties that a block gives a request, in order: a level of a definition.
///
/// An impossible property, such as a header with a line break, doesn't stop the block: it is the error of the
/// endpoint that is made of it, or of each request of the call.
public struct CallProperties: RequestProperty {
    package private(set) var properties = RequestProperties()
    /// The first thing that can't be.
    package private(set) var failure: DefinitionError?

    /// No properties.
    public init() {}

    /// The properties of a block, to be kept and used in others.
    public init(@PropertiesBuilder _ block: () -> CallProperties) { self = block() }

    public func add(to properties: inout CallProperties) { properties.append(self) }

    /// Adds the properties of another block behind these.
    public mutating func append(_ others: CallProperties) {
        let next = others.properties
        if let headers = next.headers { add(headers) }
        if let query = next.query { add(query) }
        if let path = next.path { add(path) }
        if let body = next.body { set(body) }
        if let configuration = next.configuration {
            properties.configuration = (properties.configuration ?? []) + configuration
        }
        properties.idempotencyKey = next.idempotencyKey ?? properties.idempotencyKey
        properties.queryStyle = next.queryStyle ?? properties.queryStyle
        failure = failure ?? others.failure
    }

    package mutating func add(_ headers: [HeaderItem]) {
        properties.headers = (properties.headers ?? []) + headers
    }

    /// An empty list is a query too, which replaces another.
    package mutating func add(_ items: [QueryItem]) { properties.query = (properties.query ?? []) + items }

    package mutating func add(_ components: [PathComponent]) {
        properties.path = (properties.path ?? []) + components
    }

    package mutating func add(_ function: ConfigurationFunction) {
        properties.configuration = (properties.configuration ?? []) + [function]
    }

    /// One block has one body: two can't both be meant.
    package mutating func set(_ body: RequestProperties.BodyChange) {
        if case .replace? = properties.body, case .replace = body {
            fail(.severalBodies)
        }
        properties.body = body
    }

    package mutating func set(_ key: IdempotencyChoice) { properties.idempotencyKey = key }

    package mutating func set(_ style: QueryStyle) { properties.queryStyle = style }

    /// Notes an impossible property; the first one counts.
    package mutating func fail(_ error: DefinitionError) { failure = failure ?? error }

    /// The block's properties, if all are possible.
    package func checked() throws(DefinitionError) -> RequestProperties {
        if let failure { throw failure }
        return properties
    }

    /// Does what may turn out to be impossible.
    package mutating func attempt(_ body: (inout CallProperties) throws(DefinitionError) -> Void) {
        do throws(DefinitionError) { try body(&self) } catch { fail(error) }
    }
}

/// Makes ``CallProperties`` of the statements of a block, in which `if`, `switch`, `for`, optional values and
/// `if #available` are as everywhere.
@resultBuilder
public enum PropertiesBuilder: BlockBuilder {
    /// One property.
    public static func buildExpression(_ property: some RequestProperty) -> CallProperties {
        var properties = CallProperties()
        property.add(to: &properties)
        return properties
    }

    /// Nil says nothing.
    public static func buildExpression(_ property: (some RequestProperty)?) -> CallProperties {
        var properties = CallProperties()
        property?.add(to: &properties)
        return properties
    }

    public static func buildArray(_ parts: [CallProperties]) -> CallProperties {
        parts.reduce(into: CallProperties()) { $0.append($1) }
    }
}

extension DefinitionError {
    static let severalBodies = DefinitionError(
        .severalBodies, "a request has one body, and this block gives several")
}
