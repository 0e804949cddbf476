import RestEngine

/// A request as it arrived.
struct FixtureRequest: Sendable {
    var method: String
    var target: String
    var headers = Headers()
    var body: [UInt8] = []
}

/// A request target in origin form (RFC 9112 3.2.1).
struct FixtureTarget {
    let path: String
    private let parameters: [QueryParameter]

    /// The path stays text: two slashes at its start name no host here.
    init?(_ target: String) {
        guard target.hasPrefix("/") else { return nil }
        path = String(target.prefix { $0 != "?" })
        parameters = URLText(String(target.dropFirst(path.count)))?.parameters ?? []
    }

    /// The decoded value of a parameter; without a `=` it is empty.
    subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The same target with numbers as parameters; the others stay as they were sent.
    func text(setting numbers: KeyValuePairs<String, Int>) -> String {
        let kept = parameters.filter { parameter in !numbers.contains { $0.key == parameter.name } }
        return path + "?"
            + (kept.map(\.text) + numbers.map { "\($0.key)=\($0.value)" }).joined(separator: "&")
    }
}

/// A slice of a list, asked for with `?page=N&per_page=M`.
struct FixturePage: Equatable {
    static let defaultSize = 30
    static let maximumSize = 100

    let number: Int
    let size: Int

    /// Nil when neither parameter is there.
    init?(_ target: FixtureTarget) throws(FixtureRefusal) {
        let number = try Self.number("page", in: target)
        let size = try Self.number("per_page", in: target)
        guard number != nil || size != nil else { return nil }
        self.number = number ?? 1
        self.size = min(size ?? Self.defaultSize, Self.maximumSize)
    }

    func slice(_ elements: [Tree]) -> [Tree] {
        let (start, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        return overflow ? [] : Array(elements.dropFirst(start).prefix(size))
    }

    /// The value of a Link header (RFC 8288), nil if one page is all. `origin` is `http://host` or empty.
    func links(count: Int, target: FixtureTarget, origin: String) -> String? {
        let last = max(1, (count + size - 1) / size)
        var links: [(String, Int)] = []
        if number > 1 { links += [("first", 1), ("prev", min(number - 1, last))] }
        if number < last { links += [("next", number + 1), ("last", last)] }
        guard !links.isEmpty else { return nil }
        return links.map { relation, page in
            "<\(origin)\(target.text(setting: ["page": page, "per_page": size]))>; rel=\"\(relation)\""
        }.joined(separator: ", ")
    }

    private static func number(_ name: String, in target: FixtureTarget) throws(FixtureRefusal) -> Int? {
        guard let text = target[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw FixtureRefusal(400, "\(name) must be a whole number from 1")
        }
        return number
    }
}
