internal import CCrypto

/// Hash functions, computed by libcrypto.
package enum HashFunction: String, Sendable, CaseIterable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512by256 = "SHA-512-256"

    private var code: ccrypto_hash {
        switch self {
        case .md5: CCRYPTO_MD5
        case .sha256: CCRYPTO_SHA256
        case .sha512by256: CCRYPTO_SHA512_256
        }
    }

    /// Nil where the machine's libcrypto refuses the function, as it does MD5 in FIPS mode.
    package func digest(of bytes: [UInt8]) -> [UInt8]? {
        Self.filled { ccrypto_digest(code, bytes, bytes.count, $0) }
    }

    fileprivate static func filled(_ body: (UnsafeMutablePointer<UInt8>) -> Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: CCRYPTO_MAX_DIGEST) { buffer, count in
            count = buffer.baseAddress.map(body) ?? 0
        }
        return bytes.isEmpty ? nil : bytes
    }
}

/// Other functions of libcrypto for scripts and credentials.
package enum Crypto {
    /// HMAC with SHA-256 (RFC 2104), 32 bytes; nil where the library refuses.
    package static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]? {
        HashFunction.filled { ccrypto_hmac_sha256(key, key.count, bytes, bytes.count, $0) }
    }

    /// Random bytes for secrets; nil when the system has none to give.
    package static func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return ccrypto_random(&bytes, count) == 1 ? bytes : nil
    }

    /// Whether both are equal, compared in a time that does not reveal where they differ.
    package static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && ccrypto_equal(a, b, a.count) == 1
    }
}
