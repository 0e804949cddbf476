import Platform
import RestEngine
import RestScript

/// The collector of spans, and the form of the data for it.
struct TraceCollector: Sendable {
    /// The URL to which spans are posted.
    let url: String
    let headers: Headers
    private let service: String

    /// A fault in the settings of a collector.
    struct Fault: Error {
        let message: String
    }

    /// - Parameters:
    ///   - address: A URL such as `http://127.0.0.1:4318`, to which the standard's path is
    ///     added. A URL with a path is used unchanged.
    ///   - variable: Reads the environment. `OTEL_EXPORTER_OTLP_HEADERS` and
    ///     `OTEL_SERVICE_NAME` are as in other programs with traces
    ///     (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
    init(_ address: String, variable: (String) -> String? = { _ in nil }) throws(Fault) {
        guard let parsed = URLText(address), parsed.isHTTP, parsed.query == nil else {
            throw Fault(message: "the collector of traces must be a URL such as http://127.0.0.1:4318")
        }
        url = (["", "/"].contains(parsed.path) ? parsed.appendingPath("v1/traces") : parsed).string
        var headers = Headers([("Content-Type", "application/json")])
        for (name, value) in try Self.pairs(variable("OTEL_EXPORTER_OTLP_HEADERS") ?? "") {
            headers.set(name, value)
        }
        self.headers = headers
        service = variable("OTEL_SERVICE_NAME").flatMap { $0.isEmpty ? nil : $0 } ?? "resthost"
    }

    /// Reads `name=value,name=value`, with the escapes of a URL.
    private static func pairs(_ text: String) throws(Fault) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map { side in
                String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard sides.count == 2, Method.isToken(sides[0]), let value = PercentEncoding.decode(sides[1]),
                value.utf8.allSatisfy(HTTPByte.isFieldValue)
            else {
                // The values are secrets.
                throw Fault(
                    message: "OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value with URL escapes")
            }
            pairs.append((sides[0], value))
        }
        return pairs
    }

    /// The document that is posted.
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

    /// The result of a batch.
    enum Reply {
        /// The collector took the batch, except so many spans, for this reason.
        case taken(rejected: Int, why: String)
        /// The batch can be sent again: the status is 429, 502, 503 or 504, or there was no answer.
        case away(String)
        /// The batch would be refused again.
        case refused(String)

        init(_ result: TransportResult) {
            switch result {
            case .success(let response) where 200...299 ~= response.status:
                let partial = (try? Tree(json: response.body))?["partialSuccess"]
                let count = partial?["rejectedSpans"]
                self = .taken(
                    rejected: Int(clamping: count?.int ?? count?.string.flatMap { Int64($0) } ?? 0),
                    why: partial?["errorMessage"]?.string ?? "it gives no reason")
            case .success(let response):
                let text = "the collector of traces answers with \(StatusPhrase.line(response.status))"
                self = [429, 502, 503, 504].contains(response.status) ? .away(text) : .refused(text)
            case .failure(let error):
                self = .away("the collector of traces can't be reached: \(error.message)")
            }
        }
    }
}
