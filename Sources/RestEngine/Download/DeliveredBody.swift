/// A copy of a body that was delivered elsewhere as it arrived (rule 48.5).
struct DeliveredBody: Sendable {
    /// The response without its body.
    let response: TransportResponse
    private(set) var bytes: [UInt8] = []
    /// The number of bytes that have arrived; it exceeds the size of ``bytes`` if there were too many.
    private(set) var count = 0
    private let limit: Int

    /// The limit for the bytes of all copies of an engine at a time, the same as for a recording; see
    /// docs/reference/limits.md, L207.
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
