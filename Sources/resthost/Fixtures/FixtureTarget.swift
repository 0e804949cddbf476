import RestEngine

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
