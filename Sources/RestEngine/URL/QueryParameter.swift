/// One `name=value` of a query, in its exact form.
package struct QueryParameter: Sendable, Equatable {
    /// Name and value as in the URL.
    package let text: String
    /// The name as in the URL, percent-encoded.
    package let rawName: String
    /// Nil for a bare name without `=`.
    package let rawValue: String?

    package init(_ text: Substring) {
        self.text = String(text)
        let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
        rawName = String(text[..<(equals ?? text.endIndex)])
        rawValue = equals.map { String(text[text.utf8.index(after: $0)...]) }
    }

    /// A new parameter; an empty value is written as a bare name (3.8, D19).
    init(name: String, value: String) {
        rawName = PercentEncoding.parameter(name)
        let encoded = PercentEncoding.parameter(value)
        // Without any text there would be no parameter.
        let isBare = encoded.isEmpty && !rawName.isEmpty
        rawValue = isBare ? nil : encoded
        text = isBare ? rawName : rawName + "=" + encoded
    }

    /// Decoded; bytes that are not UTF-8 are replaced by U+FFFD. `+` stays a plus.
    package var name: String { String(decoding: nameBytes, as: UTF8.self) }

    /// The decoded value; empty for a bare name.
    package var value: String {
        String(decoding: PercentEncoding.decodeBytes((rawValue ?? "").utf8), as: UTF8.self)
    }

    var nameBytes: [UInt8] { PercentEncoding.decodeBytes(rawName.utf8) }
}

extension URLText {
    /// The parameters of the query, in order. Empty pieces (`a&&b`) are skipped.
    package var parameters: [QueryParameter] {
        (query ?? "").split(separator: "&").map(QueryParameter.init)
    }

    /// Sets one parameter, or removes it (3.7–3.9).
    package func withParam(_ name: String, _ value: String?) -> URLText {
        withParams([(name, value.map { [$0] } ?? [])])
    }

    /// Sets one parameter to a list, in order; the empty list removes it (D19).
    package func withParam(_ name: String, _ values: [String]) -> URLText {
        withParams([(name, values)])
    }

    /// Sets or removes several parameters at once (3.10). All parameters are sorted by name, repeated ones
    /// keep their order, and those not named keep their exact text (D19). If a name is given twice, the last
    /// counts.
    package func withParams(_ changes: [(name: String, values: [String])]) -> URLText {
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

/// Bodies of type `application/x-www-form-urlencoded` (6.6).
package enum FormEncoding {
    /// Encodes the pairs, sorts them as text by byte unless the caller's order is kept, and joins them with
    /// `&`.
    package static func encode(_ pairs: [(name: String, value: String)], isOrdered: Bool = false) -> String {
        var encoded = pairs.map { PercentEncoding.form($0.name) + "=" + PercentEncoding.form($0.value) }
        if !isOrdered { encoded.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        return encoded.joined(separator: "&")
    }
}
