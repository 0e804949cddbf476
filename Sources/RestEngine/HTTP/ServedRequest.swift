/// A request that a client sent to this program, for whoever answers it.
package struct ServedRequest: Sendable {
    package var method: String
    /// As the client sent it, escaped, without the query.
    package var path: String
    /// What stood for the names of a route, decoded.
    package var params: [(name: String, value: String)]
    /// Decoded, in their order.
    package var query: [(name: String, value: String)]
    package var headers: Headers
    /// Empty for none.
    package var body: [UInt8]
    /// The address of the other end; nil on a Unix socket.
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
