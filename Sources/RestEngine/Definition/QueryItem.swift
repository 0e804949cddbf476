/// How the values of a list are written (rule 36.5).
public enum QueryStyle: String, Sendable, CaseIterable {
    /// `k=1&k=2`
    case `repeat`
    /// `k[]=1&k[]=2`, with the brackets escaped
    case brackets
    /// `k[0]=1&k[1]=2`, with the brackets escaped
    case indices
    /// `k=1,2`
    case comma
}

/// The value of a query parameter. It is kept in its form in the URL, so values with the same form are equal.
public struct QueryValue: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case bare
        case single(String)
        case list([String?])
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    /// Only the name, without `=`.
    package static let bare = QueryValue(.bare)

    /// Text to be escaped (36.2); empty text gives `name=` (36.3).
    public static func text(_ text: String) -> QueryValue {
        QueryValue(.single(PercentEncoding.parameter(text)))
    }

    package static func integer(_ value: some BinaryInteger) -> QueryValue { QueryValue(.single("\(value)")) }

    /// Throws for infinity and NaN.
    package static func number(_ value: Double) throws(DefinitionError) -> QueryValue {
        .text(try value.inURL())
    }

    package static func boolean(_ value: Bool) -> QueryValue { QueryValue(.single(value ? "true" : "false")) }

    /// Text that is already escaped; throws if it would not be a single value (36.6).
    package static func raw(_ text: EscapedText) throws(DefinitionError) -> QueryValue {
        try text.checkQueryValue()
        return QueryValue(.single(text.text))
    }

    /// Several values, written in the definition's ``QueryStyle``. Throws for nested lists.
    public static func list(_ values: [QueryValue]) throws(DefinitionError) -> QueryValue {
        var texts: [String?] = []
        texts.reserveCapacity(values.count)
        for value in values {
            switch value.form {
            case .bare: texts.append(nil)
            case .single(let text): texts.append(text)
            case .list:
                throw DefinitionError(.nestedList, "the value of a query's parameter is a list of lists")
            }
        }
        return QueryValue(.list(texts))
    }

    /// The number of values.
    var count: Int { if case .list(let texts) = form { texts.count } else { 1 } }

    var byteCount: Int {
        switch form {
        case .bare: 0
        case .single(let text): text.utf8.count
        case .list(let texts): texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }
    }
}

/// One parameter of a query; its name is text.
public struct QueryItem: Sendable, Hashable {
    let escapedName: String
    /// The value, or its values.
    package let value: QueryValue

    package init(_ name: String, _ value: QueryValue) {
        escapedName = PercentEncoding.parameter(name)
        self.value = value
    }

    /// The name before it was escaped.
    public var name: String { PercentEncoding.decode(escapedName) ?? escapedName }

    /// The values before they were escaped, nil for one without `=`; ``EscapedText`` is decoded.
    public var values: [String?] {
        func decoded(_ text: String) -> String { PercentEncoding.decode(text) ?? text }
        return switch value.form {
        case .bare: [nil]
        case .single(let text): [decoded(text)]
        case .list(let texts): texts.map { $0.map(decoded) }
        }
    }

    /// Whether the value was given as a list.
    package var isList: Bool { if case .list = value.form { true } else { false } }

    /// Appends the parameter to a query, with the `&` before it (36.2–36.6).
    func write(_ style: QueryStyle, to query: inout [UInt8]) {
        func write(_ suffix: String, _ text: String?) {
            if !query.isEmpty { query.append(UInt8(ascii: "&")) }
            query += escapedName.utf8
            query += suffix.utf8
            // Without any text there would be no parameter.
            guard text != nil || (escapedName.isEmpty && suffix.isEmpty) else { return }
            query.append(UInt8(ascii: "="))
            query += (text ?? "").utf8
        }
        switch value.form {
        case .bare: write("", nil)
        case .single(let text): write("", text)
        case .list(let texts):
            switch style {
            case .repeat: for text in texts { write("", text) }
            case .brackets: for text in texts { write("%5B%5D", text) }
            case .indices: for (index, text) in texts.enumerated() { write("%5B\(index)%5D", text) }
            case .comma:
                guard !texts.isEmpty else { return }
                write("", texts.map { ($0 ?? "").replacing(",", with: "%2C") }.joined(separator: ","))
            }
        }
    }
}
