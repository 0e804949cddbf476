/// The token that clients must show (RFC 6750 2.1).
struct BearerToken {
    private let token: [UInt8]

    init(_ token: String) { self.token = Array(token.utf8) }

    /// Takes the same time for every wrong token of the right length.
    func accepts(_ value: UnsafeRawBufferPointer?) -> Bool {
        guard let value, value.count > 7, value.equalsIgnoringCase("bearer ", at: 0) else { return false }
        var given = UnsafeRawBufferPointer(rebasing: value[7...])
        while given.first == .space { given = UnsafeRawBufferPointer(rebasing: given[1...]) }
        guard given.count == token.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(given, token) { difference |= a ^ b }
        return difference == 0
    }
}
