import Platform
import RestEngine
import RestScript

/// Who takes spans, and how they are put for it.
struct TraceCollector: Sendable {
    /// Where spans are posted.
    let url: String
    let headers: Headers
    private let service: String

    /// What is wrong with what was said of one.
    struct Fault: Error {
        let message: String
    }

    /// - Parameters:
    ///   - address: `http://127.0.0.1:4318`, to which the standard's path is added; with a path it is taken
    ///     as it is.
    ///   - variable: Reads the environment: `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_SERVICE_NAME` are what
    ///     other programs with traces have too
    ///     (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
    init(_ address: String, variable: (String) -> String? = { _ in nil }) throws(Fault) {
        guard let parsed = URLText(address), parsed.isHTTP, parsed.query == nil else {
            throw Fault(message: "the collector of traces is a URL such as http://127.0.0.1:4318")
        }
        url = (["", "/"].contains(parsed.path) ? parsed.appendingPath("v1/traces") : parsed).string
        var headers = Headers([("Content-Type", "application/json")])
        for (name, value) in try Self.pairs(variable("OTEL_EXPORTER_OTLP_HEADERS") ?? "") {
            headers.set(name, value)
        }
        self.headers = headers
        service = variable("OTEL_SERVICE_NAME").flatMap { $0.isEmpty ? nil : $0 } ?? "resthost"
    }

    /// `name=value,name=value`, with the escapes of a URL.
    private static func pairs(_ text: String) throws(Fault) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map { side in
                String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard sides.count == 2, Method.isToken(sides[0]), let value = PercentEncoding.decode(sides[1]),
                value.utf8.allSatisfy(HTTPByte.isFieldValue)
            else {
                // Values are secrets.
                throw Fault(message: "OTEL_EXPORTER_OTLP_HEADERS is name=value,name=value with URL escapes")
            }
            pairs.append((sides[0], value))
        }
        return pairs
    }

    /// What is posted.
    func document(_ spans: [Tree]) -> MaskedText {
        let scope: Tree = ["name": "resthost", "version": Tree(Version.text)]
        let resource: Tree = ["attributes": [OTLPSpan.text("service.name", service)] as Tree]
        return MaskedText(json: [
            "resourceSpans": [
                [
                    "resource": resource,
                    "scopeSpans": [["scope": scope, "spans": Tree(spans)] as Tree] as Tree,
                ] as Tree
            ] as Tree
        ])
    }

    /// What came of a batch.
    enum Reply {
        /// All of it but so many, and why not those.
        case taken(rejected: Int, why: String)
        /// What can be sent again: 429, 502, 503, 504, or nobody there.
        case away(String)
        /// What would be refused again.
        case refused(String)

        init(_ result: TransportResult) {
            switch result {
            case .success(let response) where 200...299 ~= response.status:
                let partial = (try? Tree(json: response.body))?["partialSuccess"]
                let count = partial?["rejectedSpans"]
                self = .taken(
                    rejected: Int(clamping: count?.int ?? count?.string.flatMap { Int64($0) } ?? 0),
                    why: partial?["errorMessage"]?.string ?? "it says no reason")
            case .success(let response):
                let text = "the collector of traces answers with status \(response.status)"
                self = [429, 502, 503, 504].contains(response.status) ? .away(text) : .refused(text)
            case .failure(let error):
                self = .away("the collector of traces can't be reached: \(error.message)")
            }
        }
    }
}
