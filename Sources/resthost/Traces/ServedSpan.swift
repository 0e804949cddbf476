import Gateway
import RestEngine

extension OTLPSpan {
    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY",
    ]

    /// The span of a client's request that the gateway answered (rule 70.6;
    /// https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server).
    static func served(_ record: AccessRecord, as span: TraceSpan) -> Tree {
        var made = OTLPSpan()
        // Clients may choose any method, and names of spans are few.
        let isKnown = Self.methods.contains(record.method)
        made.add("http.request.method", isKnown ? record.method : "_OTHER")
        if !isKnown { made.add("http.request.method_original", record.method) }
        made.add("url.scheme", record.isSecure ? "https" : "http")
        if let route = record.route { made.add("http.route", route) }
        let parts = SecretMask.standard.url(record.target).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        made.add("url.path", String(parts[0]))
        if parts.count > 1 { made.add("url.query", String(parts[1])) }
        made.add("http.response.status_code", record.status)
        made.add("http.response.body.size", record.bytes)
        if let id = record.requestID { made.add("resthost.request_id", id) }
        if let client = record.client { made.add("client.address", client) }
        // An error of the client is not an error of the server.
        if record.status >= 500 { made.fail("\(record.status)") }
        return made.tree(
            [isKnown ? record.method : "HTTP", record.route].compactMap(\.self).joined(separator: " "),
            .server,
            trace: span.context.traceID, span: span.context.spanID,
            parent: span.parentID, from: record.endedAt - record.duration, to: record.endedAt)
    }
}
