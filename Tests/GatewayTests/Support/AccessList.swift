import Gateway
import Synchronization

/// Collects the records of an access log.
final class AccessList: Sendable {
    private let records = Mutex<[AccessRecord]>([])

    func append(_ record: AccessRecord) { records.withLock { $0.append(record) } }

    var clients: Set<String> { records.withLock { Set($0.map { $0.client ?? "-" }) } }

    var durations: [Double] { records.withLock { $0.map(\.duration) } }

    var lines: [String] {
        records.withLock { $0.map { "\($0.method) \($0.target) \($0.status) \($0.bytes)" } }
    }
}
