import NIOPosix

/// Threads for checks of credentials that take too long for an event loop. They start with the first check,
/// and stay.
struct CredentialThreads: Sendable {
    /// Check signatures, some hundred microseconds each.
    static let signatures = CredentialThreads(2)
    /// Hash passwords, some hundred milliseconds each.
    static let passwords = CredentialThreads(2)

    private let pool: NIOThreadPool

    private init(_ count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    func run(_ work: @escaping @Sendable () -> Void) { pool.submit { _ in work() } }
}
