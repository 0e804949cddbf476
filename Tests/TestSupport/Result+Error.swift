public import RestEngine

extension Result where Failure == TransportError {
    /// The error, if it is one.
    public var error: TransportError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
