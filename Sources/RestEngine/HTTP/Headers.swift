/// Header fields in order, including repeated names; names are compared without case (RFC 9110 5.1).
public struct Headers: Sendable, Equatable {
    /// One line of a header.
    public struct Field: Sendable, Equatable {
        /// The name as it was given.
        public var name: String
        /// The value as it was given.
        public var value: String

        /// A field as it is sent.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields, in their order.
    public private(set) var fields: [Field] = []

    /// Names, in lower case, that were omitted on purpose: the transport does not add its own fields for them
    /// (``transportNames``).
    package private(set) var omitted: Set<String> = []

    /// The fields that a transport adds if they are not set.
    package static let transportNames = ["accept", "accept-encoding", "user-agent"]

    /// No fields.
    public init() {}

    /// Fields in order, as names and values.
    public init(_ fields: [(String, String)]) {
        self.fields = fields.map { Field($0.0, $0.1) }
    }

    package init(_ fields: [Field]) { self.fields = fields }

    /// Whether a field determines where the message ends. Transports write these fields themselves, from the
    /// actual body, and ignore those of a request: a different statement would desynchronise the connection
    /// (RFC 9112 6).
    package static func framesMessage(_ name: String) -> Bool {
        switch name.utf8.count {
        case 14: name.equalsIgnoringCase("content-length")
        case 17: name.equalsIgnoringCase("transfer-encoding")
        default: false
        }
    }

    /// Names whose values are lists, so that several fields may be joined with commas (RFC 9110 5.3 and the
    /// registration of each name); in lower case.
    package static let listNames: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "forwarded",
        "if-match",
        "if-none-match", "link", "prefer", "te", "trailer", "via", "vary", "want-digest", "x-forwarded-for",
    ]

    /// Whether the values of this name are a list; see ``listNames``.
    package static func isList(_ name: String) -> Bool { listNames.contains(name.lowercased()) }

    /// All values of a name, in order.
    package func values(_ name: String) -> [String] {
        fields.compactMap { $0.name.equalsIgnoringCase(name) ? $0.value : nil }
    }

    /// The value of a name. Several values are joined with `, ` (RFC 9110 5.3), even if the name is not a
    /// list; of Set-Cookie only the first is returned. Assigning a value replaces all values; nil omits the
    /// field, as `omit(_:)` does.
    public subscript(name: String) -> String? {
        get { joinedValues(name) }
        set {
            if let newValue { set(name, newValue) } else { omit(name) }
        }
    }

    /// Whether both share the same storage, because one is an unchanged copy of the other. False for some
    /// that are equal, and for empty ones.
    func sharesFields(with other: Headers) -> Bool {
        fields.withUnsafeBufferPointer { own in
            other.fields.withUnsafeBufferPointer { $0.count > 0 && $0.baseAddress == own.baseAddress }
        }
    }

    /// The fields after those that both have in common at the beginning.
    func added(to others: Headers) -> Headers {
        let common = zip(fields, others.fields).prefix { $0 == $1 }.count
        return Headers(Array(fields.dropFirst(common)))
    }

    private func joinedValues(_ name: String) -> String? {
        let count = name.utf8.count
        var joined: String?
        // By index, because iterating would retain each field.
        for index in fields.indices
        where fields[index].name.utf8.count == count && fields[index].name.equalsIgnoringCase(name) {
            guard let old = joined else {
                joined = fields[index].value
                continue
            }
            if name.equalsIgnoringCase("set-cookie") { break }
            joined = old + ", " + fields[index].value
        }
        return joined
    }

    /// Whether there is a field with that name.
    package func contains(_ name: String) -> Bool {
        fields.contains { $0.name.equalsIgnoringCase(name) }
    }

    /// Replaces all values of a name by one, at the position of the first.
    package mutating func set(_ name: String, _ value: String) {
        if !omitted.isEmpty { omitted.remove(name.lowercased()) }
        if let first = fields.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) {
            fields[first] = Field(name, value)
            var index = first + 1
            while index < fields.count {
                if fields[index].name.equalsIgnoringCase(name) {
                    fields.remove(at: index)
                } else {
                    index += 1
                }
            }
        } else {
            fields.append(Field(name, value))
        }
    }

    /// Replaces all values of a name; an empty list omits it.
    package mutating func set(_ name: String, values: [String]) {
        guard let first = values.first else { return omit(name) }
        set(name, first)
        for value in values.dropFirst() { add(name, value) }
    }

    /// Adds a field at the end, also if others have the same name.
    package mutating func add(_ name: String, _ value: String) {
        if !omitted.isEmpty { omitted.remove(name.lowercased()) }
        fields.append(Field(name, value))
    }

    /// Removes the fields of all names in `others`, and appends those of `others`.
    package mutating func replace(by others: Headers) {
        let names = Set(others.fields.map { $0.name.lowercased() })
        fields.removeAll { names.contains($0.name.lowercased()) }
        fields += others.fields
    }

    /// Each name once, in lower case and in the order of its first field, with the value of
    /// `subscript(_:)`.
    public var joined: [(name: String, value: String)] {
        var all: [(name: String, values: [String])] = []
        var places: [String: Int] = [:]
        for field in fields {
            let name = field.name.lowercased()
            if let place = places[name] {
                if name != "set-cookie" { all[place].values.append(field.value) }
            } else {
                places[name] = all.count
                all.append((name, [field.value]))
            }
        }
        return all.map { ($0.name, $0.values.count == 1 ? $0.values[0] : $0.values.joined(separator: ", ")) }
    }

    /// Removes all fields of a name, and keeps the transport from adding its own.
    package mutating func omit(_ name: String) {
        remove(name)
        omitted.insert(name.lowercased())
    }

    /// Removes all fields of a name.
    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name.equalsIgnoringCase(name) }
    }
}

extension String {
    /// Ignores ASCII case only.
    func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withBytes { first in
            other.withBytes { second in
                for index in first.indices {
                    let (a, b) = (first[index], second[index])
                    guard a == b || (a | 0x20 == b | 0x20 && (a | 0x20) &- 0x61 < 26) else { return false }
                }
                return true
            }
        }
    }

    /// Avoids a copy, and its reference count, if the text is contiguous.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension Headers {
    /// The reason why the fields can't be sent: the first name or value that would break the message (RFC
    /// 9110 5.1, 5.5). Nil when there is none.
    package var problem: String? {
        for field in fields {
            if let problem = Self.problem(name: field.name, value: field.value) { return problem }
        }
        return nil
    }

    /// The reason why one field can't be sent; nil when there is none.
    package static func problem(name: String, value: String) -> String? {
        guard Method.isToken(name) else { return "'\(name.printable)' is not a header name" }
        return problem(inValue: value).map { "the value of header '\(name)' \($0)" }
    }

    static func problem(inValue value: String) -> String? {
        value.utf8.allSatisfy(HTTPByte.isFieldValue) ? nil : "contains a line break or control character"
    }
}
