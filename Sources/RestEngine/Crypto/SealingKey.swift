internal import CCrypto

/// A key for values that others may read but shall not understand: AES-256-GCM (NIST SP 800-38D).
package struct SealingKey: Sendable, Equatable {
    private let bytes: [UInt8]

    /// A text that a program has made, such as `openssl rand -base64 32`.
    package static let leastBytes = 32
    /// For an error, behind the name of an option.
    package static let advice = "has 32 bytes or more, such as those of `openssl rand -base64 32`"

    /// Nil for a text that is too short, or where the library refuses SHA-256.
    package init?(_ text: String) {
        // The text has the randomness already, so one step makes the key (RFC 5869, 3.3).
        guard text.utf8.count >= Self.leastBytes,
            let bytes = HashFunction.sha256.authenticationCode(
                key: Array("resthost shared credentials".utf8), Array(text.utf8))
        else { return nil }
        self.bytes = bytes
    }

    /// A random nonce, the sealed bytes, and their tag. Nil where the library fails.
    ///
    /// - Parameter name: Bytes that are sealed under one name can't be opened under another.
    package func seal(_ plain: [UInt8], as name: String) -> [UInt8]? {
        guard let nonce = Crypto.randomBytes(CCRYPTO_SEAL_NONCE) else { return nil }
        let about = Array(name.utf8)
        var sealed = [UInt8](repeating: 0, count: plain.count + CCRYPTO_SEAL_TAG)
        guard ccrypto_seal(bytes, nonce, about, about.count, plain, plain.count, &sealed) == 1 else {
            return nil
        }
        return nonce + sealed
    }

    /// Nil for bytes that this key has not sealed under that name.
    package func open(_ sealed: [UInt8], as name: String) -> [UInt8]? {
        let count = sealed.count - CCRYPTO_SEAL_NONCE - CCRYPTO_SEAL_TAG
        guard count >= 0 else { return nil }
        let (nonce, rest) = (
            Array(sealed[..<CCRYPTO_SEAL_NONCE]), Array(sealed[CCRYPTO_SEAL_NONCE...]),
        )
        let about = Array(name.utf8)
        var plain = [UInt8](repeating: 0, count: count)
        guard ccrypto_unseal(bytes, nonce, about, about.count, rest, count, &plain) == 1 else { return nil }
        return plain
    }
}
