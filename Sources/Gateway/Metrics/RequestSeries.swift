import RestEngine

/// What is counted of the answers of a gateway, by kinds of requests.
struct RequestSeries: Sendable {
    /// How a request was answered, beside its status.
    enum Outcome: UInt8, CaseIterable, Sendable {
        /// From memory.
        case hit
        /// From one of the resource's caches.
        case cache
        /// Old data, on purpose.
        case stale
        /// The API was asked.
        case fetched
        /// The API was asked for somebody else already.
        case collapsed
        /// Anything else that is no failure.
        case answered
        /// 4xx.
        case refused
        /// 5xx.
        case failed

        init(_ status: CacheStatus) {
            switch status {
            case .hit(.memory): self = .hit
            case .hit(.cache): self = .cache
            case .stale: self = .stale
            case .forwarded(_, let isCollapsed): self = isCollapsed ? .collapsed : .fetched
            }
        }

        init(status: Int) { self = status < 400 ? .answered : status < 500 ? .refused : .failed }

        var name: String { "\(self)" }
    }

    struct Key: Hashable, Sendable {
        /// Of service and pattern; see ``GatewayMetrics/labels(_:_:)``.
        let labels: Int
        let method: UInt8
        let status: Int16
        let outcome: UInt8

        /// Of all that there is no room for.
        static let overflow = Key(labels: GatewayMetrics.otherLabels, method: 0, status: 0, outcome: 255)
    }

    /// Names of methods are the client's, and bounded here.
    static let methods = [
        "other", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY",
    ]

    static func method(_ name: String) -> UInt8 { UInt8(methods.firstIndex(of: name) ?? 0) }

    var histogram = MetricHistogram()
    var bytes = 0

    mutating func add(_ other: RequestSeries) {
        histogram.add(other.histogram)
        bytes += other.bytes
    }
}
