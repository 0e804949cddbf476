/// A function that a block added, with the line that did.
public struct Placed<Function: Sendable>: Sendable {
    /// What the block gave.
    public let function: Function
    /// `file:line`, for `explain`.
    public let origin: String
    /// What it is known to send secrets with, `rest.auth.basic` for example.
    public let authentication: String?

    public init(_ function: Function, origin: String, authentication: String? = nil) {
        self.function = function
        self.origin = origin
        self.authentication = authentication
    }
}

extension Array where Element == Placed<RequestMutation> {
    /// Adds a function that edits requests behind the others.
    ///
    /// - Parameter origin: `file:line`; nil: the line of this call.
    public mutating func append(
        _ mutation: @escaping RequestMutation, origin: String? = nil, fileID: String = #fileID,
        line: Int = #line
    ) {
        append(Placed(mutation, origin: origin ?? "\(fileID):\(line)"))
    }
}

extension Array where Element == Placed<RequestDecorator> {
    /// Adds a function that wraps or replaces requests behind the others.
    ///
    /// - Parameter origin: `file:line`; nil: the line of this call.
    public mutating func append(
        _ decorator: @escaping RequestDecorator, origin: String? = nil, fileID: String = #fileID,
        line: Int = #line
    ) {
        append(Placed(decorator, origin: origin ?? "\(fileID):\(line)"))
    }
}
