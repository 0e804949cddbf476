/// A header that one level of a definition sets.
package struct HeaderItem: Sendable, Hashable {
    /// As it is sent; compared without case.
    package var name: String
    /// Several values become several fields, or one with commas if the header is a list (RFC 9110 5.3). No
    /// value: the header is removed, also if blocks set it.
    package var values: [String]

    package init(_ name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }

    package init(_ name: String, _ value: String) { self.init(name, [value]) }

    /// Throws for characters that would break the message (RFC 9110 5.1, 5.5).
    func check() throws(DefinitionError) {
        let problem =
            Headers.problem(name: name, value: "")
            ?? values.lazy.compactMap { Headers.problem(name: name, value: $0) }.first
        if let problem { throw DefinitionError(.invalidHeader, problem) }
    }
}

/// The headers of a definition: each name once, in the order of its first field, with the level that gave it
/// (rules 35.1, 34.7).
struct DefinedHeaders: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// As it was written first.
        let name: String
        var values: [String]
        var level: Int
        /// The header was set together with the body, and is removed together with it.
        var isOfBody = false

        static func == (a: Entry, b: Entry) -> Bool {
            a.name.equalsIgnoringCase(b.name) && a.values.count == b.values.count
                && zip(a.values, b.values).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(values)
        }
    }

    private(set) var entries: [Entry] = []
    /// Names in lower case that no request has, even if blocks set them.
    private(set) var omitted: [Placed<String>] = []

    /// Each field once; a header that is not a list has one field for each value.
    var headers: Headers { headers { _ in true } }

    /// Without those that were set together with the body.
    var withoutBody: Headers { headers { !$0.isOfBody } }

    private func headers(of isOne: (Entry) -> Bool) -> Headers {
        var headers = Headers(
            entries.filter(isOne).flatMap { entry in entry.values.map { (entry.name, $0) } })
        for name in omitted { headers.omit(name.value) }
        return headers
    }

    func contains(_ name: String) -> Bool { entries.contains { $0.name.equalsIgnoringCase(name) } }

    var fieldCount: Int { entries.reduce(0) { $0 + $1.values.count } }

    var byteCount: Int {
        entries.reduce(0) { $1.values.reduce($0 + $1.name.utf8.count) { $0 + $1.utf8.count } }
    }

    /// Appends the values if the header is a list (35.2); otherwise they replace its values (35.3).
    mutating func add(_ item: HeaderItem, level: Int) {
        guard !item.values.isEmpty else { return omit(item.name, level: level) }
        var values = item.values
        if Headers.isList(item.name) {
            let known = entries.first { $0.name.equalsIgnoringCase(item.name) }?.values ?? []
            // Empty elements of a list don't count (RFC 9110 5.6.1).
            values = [(known + values).filter { !$0.isEmpty }.joined(separator: ", ")]
        }
        set(item.name, values, level: level)
    }

    /// Sets a header at the position of the existing one, or at the end; no values remove it (35.4).
    mutating func set(_ name: String, _ values: [String], level: Int, isOfBody: Bool = false) {
        guard !values.isEmpty else { return remove(name) }
        omitted.removeAll { $0.value.equalsIgnoringCase(name) }
        if let place = entries.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) {
            entries[place].values = values
            entries[place].level = level
            entries[place].isOfBody = isOfBody
        } else {
            entries.append(Entry(name: name, values: values, level: level, isOfBody: isOfBody))
        }
    }

    mutating func remove(_ name: String) {
        entries.removeAll { $0.name.equalsIgnoringCase(name) }
    }

    mutating func omit(_ name: String, level: Int) {
        remove(name)
        guard !omitted.contains(where: { $0.value.equalsIgnoringCase(name) }) else { return }
        omitted.append(Placed(name.lowercased(), level))
        omitted.sort { $0.value < $1.value }
    }

    /// Removes the headers of a body that is being replaced.
    mutating func removeThoseOfBody() { entries.removeAll(where: \.isOfBody) }
}
