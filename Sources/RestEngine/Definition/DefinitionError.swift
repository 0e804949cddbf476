/// Why a definition can't be made, said where it is made; nothing is sent of it (rule 34.5).
public struct DefinitionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which rule is broken.
    public enum Code: String, Sendable, CaseIterable {
        case invalidMethod, noBaseURL, invalidURL, invalidHeader, dotSegment, emptyValue, invalidEscapes,
            nestedList, notFinite, severalBodies, malformedTemplate, missingValue, unknownName, tooMany,
            notReadable
    }

    /// Which rule is broken.
    public let code: Code
    /// One sentence, without the place.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// What a definition may have of each kind (rule 34.6). More makes no request that a server takes, and much
/// work.
public enum DefinitionLimits {
    /// Values of a query, those in lists each.
    public static let queryValues = 10_000
    /// Components of a path.
    public static let pathComponents = 1000
    /// Fields of headers.
    public static let headerFields = 1000
    /// Bytes of names and values of a query, of a path, and of headers, each.
    public static let bytes = 1 << 20
    /// Functions that configure it.
    public static let configurationFunctions = 100
    /// Endpoints inside each other, and further places that gave a property.
    public static let levels = 256
}
