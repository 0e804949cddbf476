import RestEngine

/// The counts of a gateway's answers, by kinds of requests.
struct RequestSeries: Sendable {
    /// How a request was answered, besides its status.
    enum Outcome: UInt8, CaseIterable, Sendable {
        /// Answered from memory.
        case hit
        /// Answered from one of the resource's caches.
        case cache
        /// Answered with stale data on purpose.
        case stale
        /// Answered by the API.
        case fetched
        /// Answered by a request to the API that another client had caused.
        case collapsed
        /// Any other answer that is no failure.
        case answered
        /// A status of 4xx.
        case refused
        /// A status of 5xx.
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
        /// The labels of service and pattern; see ``GatewayMetrics/labels(_:_:)``.
        let labels: Int
        let method: UInt8
        let status: Int16
        let outcome: UInt8

        /// The key of all series beyond the limit.
        static let overflow = Key(labels: GatewayMetrics.otherLabels, method: 0, status: 0, outcome: 255)
    }

    /// Clients choose the names of methods, so only these are counted by name.
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
