import RestEngine

/// The parameters of a `/-/` route, each at most once.
struct RouteQuery {
    private var values: [String: String] = [:]

    /// Throws for a parameter that isn't in `known` or comes twice. An empty value is none.
    init(_ text: String?, known: [String]) throws(Problem) {
        for part in (text ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decode(String(pair[0])) ?? ""
            guard known.contains(name) else {
                let names =
                    known.isEmpty
                    ? "there are none here" : "there are " + known.joined(separator: ", ")
                throw Problem(400, "bad_parameter", "there is no parameter '\(name)'; \(names)")
            }
            let value = pair.count > 1 ? PercentEncoding.decode(String(pair[1])) : ""
            guard let value else {
                throw Problem(400, "bad_parameter", "the parameter '\(name)' is no UTF-8 text")
            }
            guard values[name] == nil else {
                throw Problem(400, "bad_parameter", "the parameter '\(name)' is there twice")
            }
            values[name] = value
        }
    }

    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Throws when it is missing.
    func needed(_ name: String) throws(Problem) -> String {
        guard let value = self[name] else {
            throw Problem(400, "missing_parameter", "the parameter '\(name)' is missing")
        }
        return value
    }

    /// A count from 1 to `most`.
    func count(_ name: String, default usual: Int, most: Int) throws(Problem) -> Int {
        guard let text = self[name] else { return usual }
        guard let count = Int(text), 1...most ~= count else {
            throw Problem(400, "bad_parameter", "'\(name)' is a number from 1 to \(most)")
        }
        return count
    }
}
