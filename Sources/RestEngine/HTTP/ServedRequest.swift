/// A request that a client sent to this program, for the code that answers it.
package struct ServedRequest: Sendable {
    package var method: String
    /// The path as the client sent it, escaped, without the query.
    package var path: String
    /// The values of the names in a route, decoded.
    package var params: [(name: String, value: String)]
    /// Decoded, in order.
    package var query: [(name: String, value: String)]
    package var headers: Headers
    /// Empty without a body.
    package var body: [UInt8]
    /// The address of the client; nil on a Unix socket.
    package var client: String?

    package init(
        method: String, path: String, params: [(name: String, value: String)] = [],
        query: [(name: String, value: String)] = [], headers: Headers = Headers(), body: [UInt8] = [],
        client: String? = nil
    ) {
        self.method = method
        self.path = path
        self.params = params
        self.query = query
        self.headers = headers
        self.body = body
        self.client = client
    }
}
