extension URLText {
    /// The parameters of the query, in order. Empty pieces (`a&&b`) are none.
    public var parameters: [QueryParameter] {
        (query ?? "").split(separator: "&").map(QueryParameter.init)
    }

    /// Sets one parameter, or removes it (3.7–3.9).
    public func withParam(_ name: String, _ value: String?) -> URLText {
        withParams([(name, value.map { [$0] } ?? [])])
    }

    /// Sets one parameter to a list, in order; the empty list removes it (D19).
    public func withParam(_ name: String, _ values: [String]) -> URLText {
        withParams([(name, values)])
    }

    /// Sets or removes several parameters at once (3.10). All parameters are sorted by name, repeats keep
    /// their order, and those not named keep their exact text (D19). Of a name given twice, the last counts.
    public func withParams(_ changes: [(name: String, values: [String])]) -> URLText {
        var changed: [[UInt8]: [QueryParameter]] = [:]
        for (name, values) in changes {
            changed[Array(name.utf8)] = values.map { QueryParameter(name: name, value: $0) }
        }
        var sortable: [(name: [UInt8], text: String)] = []
        for parameter in parameters where changed[parameter.nameBytes] == nil {
            sortable.append((parameter.nameBytes, parameter.text))
        }
        for (name, added) in changed {
            sortable += added.map { (name, $0.text) }
        }
        // The index makes the sort stable, which `sort` does not promise.
        let sorted = sortable.enumerated().sorted { a, b in
            a.element.name == b.element.name
                ? a.offset < b.offset : a.element.name.lexicographicallyPrecedes(b.element.name)
        }
        var reference = reference
        reference.query =
            sorted.isEmpty ? nil : Array(sorted.map(\.element.text).joined(separator: "&").utf8)[...]
        return URLText(reference)
    }
}
