import RestEngine

/// A token or an API key that a client may send, as it is compared.
struct SecretText: Sendable {
    let name: String
    private let secret: [UInt8]
    private let isHashed: Bool

    init(_ token: GatewayToken) {
        name = token.name
        switch token.secret {
        case .text(let text): (secret, isHashed) = (Array(text.utf8), false)
        case .sha256(let hash): (secret, isHashed) = (hash, true)
        }
    }

    /// Takes the same time for every wrong text of the right length.
    func isEqual(_ given: UnsafeRawBufferPointer) -> Bool {
        if isHashed {
            guard let hash = HashFunction.sha256.digest(of: Array(given)) else { return false }
            return hash.withUnsafeBytes(isSecret)
        }
        return isSecret(given)
    }

    private func isSecret(_ given: UnsafeRawBufferPointer) -> Bool {
        guard given.count == secret.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(given, secret) { difference |= a ^ b }
        return difference == 0
    }
}
