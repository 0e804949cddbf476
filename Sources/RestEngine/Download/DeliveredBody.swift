/// A copy of a body that somebody else has got as it came (rule 48.5).
struct DeliveredBody: Sendable {
    /// Without the body.
    let response: TransportResponse
    private(set) var bytes: [UInt8] = []
    /// Bytes that have come; more than ``bytes`` when there were too many.
    private(set) var count = 0
    private let limit: Int

    /// Bytes of all copies of an engine at a time, as many as a recording has; see docs/reference/limits.md,
    /// L207.
    static let mostBytes = 256 << 20

    init(_ response: TransportResponse, limit: Int) {
        self.response = response
        self.limit = limit
    }

    var isWhole: Bool { bytes.count == count }

    /// - Parameter all: Bytes of all copies.
    mutating func add(_ new: [UInt8], _ all: inout Int) {
        defer { count += new.count }
        guard isWhole else { return }
        if count + new.count <= limit, all + new.count <= Self.mostBytes {
            bytes += new
            all += new.count
        } else {
            all -= bytes.count
            bytes = []
        }
    }
}
