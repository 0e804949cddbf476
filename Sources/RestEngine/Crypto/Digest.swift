internal import CCrypto

/// Hash functions, computed by libcrypto.
package enum HashFunction: String, Sendable, CaseIterable {
    case md5 = "MD5"
    case sha1 = "SHA-1"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"
    case sha256 = "SHA-256"
    case sha512by256 = "SHA-512-256"

    var code: ccrypto_hash {
        switch self {
        case .md5: CCRYPTO_MD5
        case .sha1: CCRYPTO_SHA1
        case .sha384: CCRYPTO_SHA384
        case .sha512: CCRYPTO_SHA512
        case .sha256: CCRYPTO_SHA256
        case .sha512by256: CCRYPTO_SHA512_256
        }
    }

    /// Nil where the machine's libcrypto refuses the function, as it does MD5 in FIPS mode.
    package func digest(of bytes: [UInt8]) -> [UInt8]? {
        Self.filled { ccrypto_digest(code, bytes, bytes.count, $0) }
    }

    /// HMAC (RFC 2104); nil where the library refuses.
    package func authenticationCode(key: [UInt8], _ bytes: [UInt8]) -> [UInt8]? {
        Self.filled { ccrypto_hmac(code, key, key.count, bytes, bytes.count, $0) }
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

/// Signatures with the names of RFC 7518 3.1 and RFC 8037 3.1.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The key is of another kind, or too short, or can't be read.
    package struct WrongKey: Error {}

    private var family: ccrypto_family {
        switch self {
        case .rs256, .rs384, .rs512: CCRYPTO_RSA_PKCS1
        case .ps256, .ps384, .ps512: CCRYPTO_RSA_PSS
        case .es256, .es384, .es512: CCRYPTO_ECDSA
        case .edDSA: CCRYPTO_EDDSA
        }
    }

    private var hash: ccrypto_hash {
        switch self {
        case .rs256, .ps256, .es256: CCRYPTO_SHA256
        case .rs384, .ps384, .es384: CCRYPTO_SHA384
        case .rs512, .ps512, .es512, .edDSA: CCRYPTO_SHA512
        }
    }

    /// The kind of key that it needs, for people.
    package var key: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "an RSA key of 2048 to 8192 bits"
        case .es256: "a key on the curve P-256"
        case .es384: "a key on the curve P-384"
        case .es512: "a key on the curve P-521"
        case .edDSA: "an Ed25519 key"
        }
    }

    /// - Parameter key: A private key in PEM, without a password.
    /// - Returns: Nil where the machine's libcrypto refuses.
    package func sign(_ bytes: [UInt8], key: [UInt8]) throws(WrongKey) -> [UInt8]? {
        var length = 0
        var result: Int32 = 0
        let signature = [UInt8](unsafeUninitializedCapacity: Int(CCRYPTO_MAX_SIGNATURE)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            result = ccrypto_sign(family, hash, key, key.count, bytes, bytes.count, start, &length)
            count = result == 1 ? length : 0
        }
        if result == CCRYPTO_WRONG_KEY { throw WrongKey() }
        return result == 1 ? signature : nil
    }

    /// - Parameter key: A public key or a certificate in PEM.
    package func isValid(_ signature: [UInt8], of bytes: [UInt8], key: [UInt8]) throws(WrongKey) -> Bool {
        let result = ccrypto_verify(
            family, hash, key, key.count, bytes, bytes.count, signature, signature.count)
        if result == CCRYPTO_WRONG_KEY { throw WrongKey() }
        return result == 1
    }
}
