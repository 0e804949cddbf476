import RestEngine
import Synchronization

/// Credentials that were right, by keyed digests, so that memory holds no secret in clear. Any thread.
final class RememberedCredentials<Value: Sendable>: Sendable {
    private let key = Crypto.randomBytes(32) ?? []
    private let all = Mutex<[[UInt8]: Value]>([:])
    private let limit: Int

    init(limit: Int = 10_000) { self.limit = limit }

    /// Nil if the system has no random bytes or no hash function; then nothing is remembered.
    func digest(of credentials: [UInt8]) -> [UInt8]? {
        key.isEmpty ? nil : HashFunction.sha256.authenticationCode(key: key, credentials)
    }

    subscript(digest: [UInt8]) -> Value? { all.withLock { $0[digest] } }

    /// At the limit all others are forgotten, which costs one check for each.
    func remember(_ value: Value, _ digest: [UInt8]) {
        all.withLock { all in
            if all.count >= limit { all.removeAll(keepingCapacity: true) }
            all[digest] = value
        }
    }

    func forget(_ digest: [UInt8]) { all.withLock { $0[digest] = nil } }
}
