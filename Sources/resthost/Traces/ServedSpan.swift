import Gateway
import RestEngine

extension OTLPSpan {
    /// The span of a client's request that the gateway answered (rule 70.6;
    /// https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server).
    static func served(_ record: AccessRecord, as span: TraceSpan) -> Tree {
        var made = OTLPSpan()
        made.add("http.request.method", record.method)
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
            record.method, .server, trace: span.context.traceID, span: span.context.spanID,
            parent: span.parentID, from: record.endedAt - record.duration, to: record.endedAt)
    }
}
