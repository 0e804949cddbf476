import RestEngine

/// The partition of a request, and the headers that its client brings for the API (rules 77).
extension ConnectionHandler {
    /// The partition that a hook chose, or that of the client's credentials; nil: that of everybody.
    func partition(of request: ClientRequest) -> String? {
        request.hooks.map(\.partition) ?? partitionOfCredentials(request)
    }

    func partitionOfCredentials(_ request: ClientRequest) -> String? {
        let names = loop.rules.access.credentials
        return names.isEmpty ? nil : CredentialPartition.name(for: fields(of: request, named: names))
    }

    /// The client's fields with these names, without the gateway's own token in a cookie.
    func fields(of request: ClientRequest, named names: Set<String>) -> [(name: String, value: String)] {
        if names.isEmpty { return [] }
        let fields = request.fields.fields(named: names)
        guard names.contains("cookie"), let events = loop.rules.access.eventCredentials else { return fields }
        return fields.compactMap { field in
            guard field.name.lowercased() == "cookie" else { return field }
            return events.stripped(cookies: field.value).map { (field.name, $0) }
        }
    }

    /// The headers for the API in the loads of a partition; nil without a partition, and if there are none:
    /// then loads need no client.
    func clientHeaders(_ request: ClientRequest, in partition: String?) -> ClientHeaders? {
        guard let partition else { return nil }
        // The gateway itself answers conditions and sends parts of the content that it has.
        let fields = proxiedHeaders(request).filter { !Self.namesOfOwnRead.contains($0.name.lowercased()) }
        if fields.isEmpty { return nil }
        let accessPolicy = request.accessPolicy ?? loop.rules.access.accessPolicy
        return ClientHeaders(partition: partition, headers: Headers(fields)) {
            accessPolicy.isExposed(service: $0)
        }
    }

    /// The client's request, for work of a partition.
    func origin(of request: ClientRequest, in partition: String?) -> RequestOrigin {
        request.origin.with(clientHeaders(request, in: partition))
    }

    private static let namesOfOwnRead = ProxiedRequest.conditions.union([
        "range", "if-range", "if-modified-since",
    ])

    /// Whether the gateway answers a read from its resource; otherwise the client's request goes to the API
    /// each time.
    func readsResource(_ request: ClientRequest, in partition: String?) -> Bool {
        guard request.method == "GET" || request.isHead else { return false }
        let headers = proxiedHeaders(request)
        if partition == nil { return headers.isEmpty }
        return !headers.contains { ["range", "if-range"].contains($0.name.lowercased()) }
    }
}
