public import RestEngine

/// A request that no stub answered.
public struct UnmatchedRequest: Sendable, CustomStringConvertible {
    /// The request.
    public let request: TransportRequest
    /// Method and URL of the stub that is most like it; nil without stubs.
    public let nearestStub: String?
    /// Method and URL, and the nearest stub, or the nearest answer of a recording.
    public let description: String

    init(_ request: TransportRequest, nearest: String?, hasAddress: Bool, miss: String?) {
        self.request = request
        nearestStub = nearest
        var text = "no stub for \(request.method) \(request.url)"
        if let nearest {
            text += "; the nearest is \(nearest)"
            if hasAddress { text += ", which wants other headers or another body" }
        } else if miss == nil {
            text += "; there are no stubs"
        }
        if let miss { text = nearest == nil ? miss : text + "; " + miss }
        description = text
    }
}

/// Requests that no stub answered, as an error.
public struct UnmatchedRequests: Error, Sendable, CustomStringConvertible {
    /// In the order in which they were sent.
    public let requests: [UnmatchedRequest]

    public var description: String { requests.map(\.description).joined(separator: "\n") }
}
