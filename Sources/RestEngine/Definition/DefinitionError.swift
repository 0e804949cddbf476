/// The reason why a definition can't be made. It is thrown where the definition is made, so no request is
/// sent (rule 34.5).
public struct DefinitionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken.
    package enum Code: String, Sendable, CaseIterable {
        case invalidMethod, noBaseURL, invalidURL, invalidHeader, dotSegment, emptyValue, invalidEscapes,
            nestedList, notFinite, severalBodies, malformedTemplate, missingValue, unknownName, tooMany,
            notReadable
    }

    /// The rule that is broken.
    package let code: Code
    /// One sentence, without the source line.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// The limits of a definition for each kind of property (rule 34.6). Larger requests are rejected by servers,
/// and would take much work.
package enum DefinitionLimits {
    /// Values of a query, counting each element of a list.
    package static let queryValues = 10_000
    /// Components of a path.
    package static let pathComponents = 1000
    /// Fields of headers.
    package static let headerFields = 1000
    /// Bytes of names and values of a query, of a path, and of headers, each.
    package static let bytes = 1 << 20
    /// Functions that configure it.
    package static let configurationFunctions = 100
    /// Nested endpoints, plus further levels that set a property.
    package static let levels = 256
}
